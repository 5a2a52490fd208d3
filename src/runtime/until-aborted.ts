/**
 * Waits until a promise settles or a signal is aborted, whichever comes first. A later rejection of the promise is ignored.
 *
 * @throws the signal's abort reason, or the promise's rejection reason
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    promise.catch(() => {});
    signal.removeEventListener("abort", stop);
  }
}
