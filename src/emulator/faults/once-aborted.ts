/**
 * Acts once, as soon as one of the signals is aborted; at once where one is already.
 *
 * @returns to be called when it is to act no more: takes every listener away
 */
export function onceAborted(signals: readonly AbortSignal[], act: () => void): () => void {
  const forget = () => {
    for (const signal of signals) signal.removeEventListener("abort", onAbort);
  };
  const onAbort = () => {
    forget();
    act();
  };
  if (signals.some(({ aborted }) => aborted)) act();
  else for (const signal of signals) signal.addEventListener("abort", onAbort);
  return forget;
}
