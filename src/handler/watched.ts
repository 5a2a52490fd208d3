import type { Bytes } from "../runtime/platform-types.ts";

/**
 * Passes a stream on as fast as it is read. It fails immediately, even if nobody reads, so that a stalled caller's
 * connection is closed.
 *
 * @param signal - aborted when the caller leaves, which is not a failure
 * @param onFailure - receives the error of the stream, once
 */
export function watched(
  stream: ReadableStream<Bytes>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): ReadableStream<Bytes> {
  const reader = stream.getReader();
  let isCancelled = false;
  return new ReadableStream<Bytes>(
    {
      start(controller) {
        reader.closed.catch((error) => {
          if (isCancelled) return;
          if (signal.aborted) return controller.error(error);
          onFailure(error);
          // Not the error itself, which names the service: an adapter may answer with its message.
          controller.error(new Error("The document is truncated."));
        });
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (isCancelled) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        isCancelled = true;
        return reader.cancel(reason);
      },
    },
    // Nothing is read ahead: the document itself holds what has come.
    { highWaterMark: 0 },
  );
}
