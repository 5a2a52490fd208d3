/** Delays that a service requests, and how messages write them. */

/** Matches `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const httpDate =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): a number of seconds, or a date in one of the three formats of 5.6.7. Also accepts
 * fractions of a second, which some services send.
 *
 * @param header - the value of the header
 * @param nowMs - the current time, in milliseconds since 1970
 * @returns the delay in milliseconds, without an upper limit; `undefined` if the header is malformed or the date has passed
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!httpDate.test(text)) return undefined;
  // The third format is in GMT, but does not contain it.
  const delayMs = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) - nowMs;
  return delayMs > 0 ? delayMs : undefined;
}

const yearMs = 365 * 24 * 3_600_000;

/** Formats a duration for a message: `2 s`, `0.4 s`. */
export function inSeconds(ms: number): string {
  if (ms > yearMs) return "more than a year";
  return `${Math.ceil(ms / 100) / 10} s`;
}
