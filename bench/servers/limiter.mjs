/** Creates a function that returns whether the next request is allowed. */
export function limiterOf(kind, perSecond) {
  let [count, second] = [0, 0];
  let [tokens, atMs] = [perSecond, performance.now()];
  const inWindow = () => {
    const now = Math.floor(performance.now() / 1000);
    if (now > second) [count, second] = [0, now];
    count += 1;
    return count <= perSecond;
  };
  const inBucket = () => {
    const nowMs = performance.now();
    tokens = Math.min(perSecond, tokens + ((nowMs - atMs) * perSecond) / 1000);
    atMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
  return kind === "window" ? inWindow : inBucket;
}
