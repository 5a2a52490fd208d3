import type { RetryPolicy } from "../options/retry.ts";

/** What a failed attempt means for another one. */
export interface FailureKind {
  /**
   * `"safe"`: the request did not leave, so that another cannot render twice. `"ambiguous"`: another may help,
   * and may render twice. `"never"`: another would end the same way, or is not wanted.
   */
  readonly repeat: "safe" | "ambiguous" | "never";
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

/** Why an attempt failed. */
export interface Failure extends FailureKind {
  /** Creates the error, once it is known what follows. Its message ends with `note`. */
  readonly error: (note: string) => unknown;
}

export type Decision =
  | { readonly delayMs: number }
  /** `why` is for the message of the error, where a wait that is too long is the reason. */
  | { readonly why: string };

/** Statuses of trouble that may pass (RFC 9110, 15.5.9 and 15.6; RFC 6585, 4). */
const passing: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Nobody waits longer than this for a second try without being asked. */
const longestDelayMs = 60_000;

const firstBackOffMs = 500;
const longestBackOffMs = 8_000;

/** The `type` (RFC 9457) of the emulator's 500 for a template that cannot be rendered, however often it is retried. */
export const templateBroken = "urn:template-pdf:problem:template-broken";

/** What a response means for another attempt. The document may have been rendered before it failed. */
export function repeatAfter(status: number, body = ""): FailureKind["repeat"] {
  if (body.includes(templateBroken)) return "never";
  return passing.includes(status) ? "ambiguous" : "never";
}

/**
 * Decides what follows a failed attempt. The delay is what the service asks for, else at random up to 0.5 s, 1 s, 2 s … 8 s.
 *
 * @param leftMs - what is left of `timeouts.total`
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
      why: ` Not retried: the service asks to wait ${inSeconds(retryAfterMs)}; a call waits 60 s at most.`,
    };
  }
  const delayMs = retryAfterMs ?? backOffMs(attempts, random());
  if (delayMs >= leftMs) {
    return {
      why: ` Not retried: a wait of ${inSeconds(delayMs)} would exceed \`timeouts.total\`.`,
    };
  }
  return { delayMs };
}

function backOffMs(attempts: number, share: number): number {
  return share * Math.min(longestBackOffMs, firstBackOffMs * 2 ** (attempts - 1));
}

const yearMs = 365 * 24 * 3_600_000;

/** A time for a message: `2 s`, `0.4 s`. */
export function inSeconds(ms: number): string {
  if (ms > yearMs) return "more than a year";
  return `${Math.ceil(ms / 100) / 10} s`;
}
