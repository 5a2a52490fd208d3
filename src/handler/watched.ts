import type { Bytes } from "../runtime/platform-types.ts";
import { closeConnection } from "../service/connections.ts";

/**
 * Forwards a stream with backpressure. It fails immediately, even if nothing reads, so that the connection of a stalled caller is
 * closed.
 *
 * @param request - the request of the caller. It is aborted when the caller disconnects, which is not a failure
 * @param onFailure - receives the stream's error, once
 */
export function watched(
  stream: ReadableStream<Bytes>,
  request: Request,
  onFailure: (error: unknown) => void,
): ReadableStream<Bytes> {
  const reader = stream.getReader();
  let isCancelled = false;
  return new ReadableStream<Bytes>(
    {
      start(controller) {
        reader.closed.catch((error) => {
          if (isCancelled) return;
          const hasLeft = request.signal.aborted;
          if (!hasLeft) onFailure(error);
          // Not the error itself, which names the service, because an adapter may send its message.
          const truncated = new Error("The document is truncated.");
          if (closeConnection(request, truncated)) return controller.close();
          if (!hasLeft) return controller.error(truncated);
          // Most servers cancel the body now. Some print an error of a body that they have not begun to send.
          setTimeout(() => {
            if (!isCancelled) controller.error(error);
          });
        });
      },
      async pull(controller) {
        // Failures are handled above.
        const read = await reader.read().catch(() => undefined);
        if (read === undefined || isCancelled) return;
        if (read.done) controller.close();
        else controller.enqueue(read.value);
      },
      cancel(reason) {
        isCancelled = true;
        return reader.cancel(reason);
      },
    },
    // No read-ahead, because the document buffers received bytes.
    { highWaterMark: 0 },
  );
}
