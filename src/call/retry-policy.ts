import type { RetryPolicy } from "../options/retry.ts";

/** Whether a failed attempt may be retried. */
export interface FailureKind {
  /**
   * `"safe"`: the request was not sent, so a retry cannot render twice. `"ambiguous"`: a retry may help, and may render twice.
   * `"never"`: a retry would fail again, or retries are disabled.
   */
  readonly repeat: "safe" | "ambiguous" | "never";
  /** The delay that the service requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Why an attempt failed. */
export interface Failure extends FailureKind {
  /** Creates the error once the next step is known. Its message ends with `note`. */
  readonly error: (note: string) => unknown;
}

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

/**
 * The problem `type` (RFC 9457) in the emulator's 500 response for a template that can never be rendered.
 * Retrying is pointless.
 */
export const templateBroken = "urn:template-pdf:problem:template-broken";

/** Whether a response may be retried. The document may have been rendered before the failure. */
export function repeatAfter(status: number, body = ""): FailureKind["repeat"] {
  if (body.includes(templateBroken)) return "never";
  return passing.includes(status) ? "ambiguous" : "never";
}

/**
 * Decides whether to retry a failed attempt. The delay is the one that the service requests. Otherwise, the
 * delay is random, with a maximum that doubles with each retry from 0.5 s to 8 s.
 *
 * @param leftMs - the time left in `timeouts.total`
 */
export function decide(
  { repeat, retryAfterMs }: FailureKind,
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
      why: ` Not retried: the service requests a delay of ${inSeconds(retryAfterMs)}, which exceeds the limit of 60 s.`,
    };
  }
  const delayMs = retryAfterMs ?? backOffMs(attempts, random());
  if (delayMs >= leftMs) {
    return {
      why: ` Not retried: a delay of ${inSeconds(delayMs)} would exceed \`timeouts.total\`.`,
    };
  }
  return { delayMs };
}

function backOffMs(attempts: number, share: number): number {
  return share * Math.min(longestBackOffMs, firstBackOffMs * 2 ** (attempts - 1));
}

const yearMs = 365 * 24 * 3_600_000;

/** Formats a duration for a message: `2 s`, `0.4 s`. */
export function inSeconds(ms: number): string {
  if (ms > yearMs) return "more than a year";
  return `${Math.ceil(ms / 100) / 10} s`;
}
