import type { Bytes } from "../runtime/platform-types.ts";

/**
 * Passes a stream on as fast as it is read, and tells of its failure: whoever serves it only sees that it breaks off. It fails
 * immediately, even if nobody reads, so that a stalled caller's connection is closed.
 *
 * @param signal - aborted when the caller leaves, which is no failure
 * @param onFailure - hears of one, once
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
          if (!signal.aborted) onFailure(error);
          controller.error(error);
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
