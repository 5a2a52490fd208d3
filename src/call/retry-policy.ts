import { inSeconds } from "../errors/retry-after.ts";
import type { RetryPolicy } from "../options/retry.ts";

/**
 * Whether a failed attempt may be retried. `"safe"`: the request was not sent, so a retry cannot render twice. `"ambiguous"`: a
 * retry may help, and may render twice. `"never"`: a retry would fail again.
 */
export type Repeat = "safe" | "ambiguous" | "never";

export type Decision =
  | { readonly delayMs: number }
  /** `why` explains in the error message why the attempt is not retried. */
  | { readonly why: string };

/** Statuses of transient failures (RFC 9110, 15.5.9 and 15.6; RFC 6585, 4). */
const passing: readonly number[] = [408, 429, 500, 502, 503, 504];

/** The longest delay before a retry. */
const longestDelayMs = 60_000;

const firstBackOffMs = 500;
const longestBackOffMs = 8_000;

/** Whether a response may be retried. The document may have been rendered before the failure. */
export function repeatAfter(status: number): Repeat {
  return passing.includes(status) ? "ambiguous" : "never";
}

/**
 * Decides whether to retry a failed attempt. The delay is the one that the service requests. Otherwise, the
 * delay is random, with a maximum that doubles with each retry from 0.5 s to 8 s.
 *
 * @param leftMs - the time left in `timeouts.total`
 */
export function decide(
  { repeat, retryAfterMs }: { readonly repeat: Repeat; readonly retryAfterMs?: number | undefined },
  attempts: number,
  policy: RetryPolicy,
  leftMs: number,
  random: () => number,
): Decision {
  if (repeat === "never" || attempts > policy.limit) return { why: "" };
  if (repeat === "ambiguous" && !policy.mayRenderTwice) {
    return { why: " Not retried: `retry.mayRenderTwice` is false." };
  }
  if (retryAfterMs !== undefined && retryAfterMs > longestDelayMs) {
    return {
      why: ` Not retried: the service requests a delay of ${inSeconds(retryAfterMs)}, which exceeds the limit of ${inSeconds(longestDelayMs)}.`,
    };
  }
  const maxBackOffMs = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (attempts - 1));
  const delayMs = retryAfterMs ?? random() * maxBackOffMs;
  if (delayMs >= leftMs) {
    return { why: ` Not retried: a delay of ${inSeconds(delayMs)} would exceed \`timeouts.total\`.` };
  }
  return { delayMs };
}
