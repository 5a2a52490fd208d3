import { type HeadersInput, readHeaders } from "../request/headers.ts";
import { ownOption } from "../runtime/own-options.ts";
import type { CallSettings, ResolvedOptions } from "./client-options.ts";
import { checkOptions, isBoolean, isByteCount, isFunction, isSignal, type Rules } from "./option-rules.ts";
import { isRetry, type Retry, resolveRetry } from "./retry.ts";
import { isTimeouts, resolveTimeouts, type Timeouts } from "./timeouts.ts";

/** Options for a call, which override the client's options. */
export interface CallOptions {
  /** A signal that cancels the call. If you abort the signal, the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Headers for this request, in addition to the client's headers. Default: none. */
  headers?: HeadersInput | undefined;
  /** The timeouts for the call. Default: each unset property comes from the client. */
  timeouts?: Timeouts | undefined;
  /** The retry policy for the call, or `false` for no retries. Default: each unset property comes from the client. */
  retry?: Retry | false | undefined;
  /** The maximum size in bytes of a document that is held in memory. Default: the client's `maxBytes`. */
  maxBytes?: number | undefined;
  /** Whether to check that the document is a whole PDF. Default: the client's `verify`. */
  verify?: boolean | undefined;
  /**
   * Called whenever more of the document has arrived. The client does not wait for the callback and ignores
   * its errors.
   */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** @internal */
  [limitsStreams]?: boolean | undefined;
}

/** The progress of a download. It restarts from 0 if the response is truncated and the request is retried. */
export interface Progress {
  /** The number of bytes that have arrived. */
  readonly receivedBytes: number;
  /**
   * The size of the document in bytes, if the response declares it. In a cross-origin request, the browser
   * hides whether the response was compressed, so the declared size can be too small. When more bytes than
   * that have arrived, `totalBytes` becomes `undefined`. In such a request, the `contentLength` of the
   * document is always `undefined`.
   */
  readonly totalBytes: number | undefined;
}

/**
 * An internal call option: `timeouts.total` applies until the end of a stream, even if `total` was not set.
 * Registered globally, because the client may come from another copy of this package.
 */
export const limitsStreams: unique symbol = Symbol.for("template-pdf.limits-streams") as never;

/** A call's options, checked and merged into the client's options. */
export interface ResolvedCall extends CallSettings {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: ReadonlyMap<string, string> | undefined;
  readonly onProgress?: CallOptions["onProgress"];
}

const rules: Rules<Omit<CallOptions, typeof limitsStreams>> = {
  signal: isSignal,
  headers: undefined,
  timeouts: isTimeouts,
  retry: isRetry,
  maxBytes: isByteCount,
  verify: isBoolean,
  onProgress: isFunction,
};

/**
 * Checks a call's options and merges them into the client's options. @throws {ConfigurationError} for the
 * first mistake
 */
export function resolveCall(client: ResolvedOptions, given: CallOptions = {}): ResolvedCall {
  const options: CallOptions = checkOptions(given, rules, "call");
  const { headers, timeouts } = options;
  // Not a spread, which would take longer than all the checks.
  return {
    signal: options.signal,
    timeouts: resolveTimeouts(timeouts, client.timeouts),
    totalLimitsStreams:
      client.totalLimitsStreams || timeouts?.total !== undefined || ownOption(given, limitsStreams) === true,
    retry: resolveRetry(options.retry, client.retry),
    headers:
      headers === undefined
        ? undefined
        : readHeaders(headers, client.apiKey === null, client.allowsApiKey, client.advice),
    hooks: client.hooks,
    maxBytes: options.maxBytes ?? client.maxBytes,
    verify: options.verify ?? client.verify,
    onProgress: options.onProgress,
  };
}
