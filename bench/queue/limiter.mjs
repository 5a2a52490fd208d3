// The rate limits of the service in `service.mjs`.

/**
 * Creates a rate limit: a token bucket that holds the requests of one window, or a fixed number of requests for each window of
 * the clock.
 *
 * @param limit - `kind` is "bucket" or "window"
 * @returns a function that takes the time and returns 0 for an accepted request, or the milliseconds until the next one is
 * accepted
 */
export function limiterOf({ kind, perSecond, windowMs = 1000 }) {
  const size = (perSecond * windowMs) / 1000;
  return kind === "bucket" ? bucketOf(perSecond / 1000, size) : windowOf(windowMs, size);
}

function bucketOf(perMs, size) {
  let [tokens, atMs] = [size, 0];
  return (nowMs) => {
    tokens = Math.min(size, tokens + (nowMs - atMs) * perMs);
    atMs = nowMs;
    if (tokens < 1) return (1 - tokens) / perMs;
    tokens -= 1;
    return 0;
  };
}

function windowOf(windowMs, size) {
  let [index, count] = [-1, 0];
  return (nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    if (current !== index) [index, count] = [current, 0];
    count += 1;
    return count > size ? (current + 1) * windowMs - nowMs : 0;
  };
}
