import { ConfigurationError } from "../errors/errors.ts";
import type { Advice } from "../request/advice.ts";
import { type ApiKeySource, checkEncryption, resolveApiKey } from "../request/api-key.ts";
import { type Endpoint, endpointOf, lacksPage, parseBaseUrl } from "../request/endpoint.ts";
import { defaultHeaders, type HeadersInput, readHeaders } from "../request/headers.ts";
import { isPage } from "../runtime/environment.ts";
import type { DispatcherLike, FetchLike, TransportSettings } from "../transport/transport.ts";
import { type Hooks, resolveHooks } from "./hooks.ts";
import {
  type Complete,
  checkOptions,
  isBoolean,
  isByteCount,
  isCredentials,
  isDispatcher,
  isFunction,
  isObject,
  type Rules,
} from "./option-rules.ts";
import { isRetry, type Retry, type RetryPolicy, resolveRetry } from "./retry.ts";
import { isTimeouts, resolveTimeouts, type Timeouts } from "./timeouts.ts";

/** Options for a client. */
export interface ClientOptions {
  /**
   * The base URL of the service, for example `https://pdf.example.com`. It can have a path prefix, but no
   * credentials, query or fragment. In a browser, the URL can be relative. If it begins with `/` or `.`, the
   * client can also be created on a server (as happens when a framework renders there), but its calls reject.
   * Default: the `TEMPLATE_PDF_BASE_URL` environment variable.
   */
  baseUrl?: string | URL | undefined;
  /**
   * The API key, or a function that returns it for each attempt. Pass `null` if the server at `baseUrl` holds
   * the key. Default: the `TEMPLATE_PDF_API_KEY` environment variable.
   */
  apiKey?: string | ApiKeySource | null | undefined;
  /**
   * Headers for every request. `authorization` is allowed only with `apiKey: null`. Default: `accept: application/pdf`,
   * and except in browsers `user-agent: template-pdf/<version>`.
   */
  headers?: HeadersInput | undefined;
  /**
   * Whether a browser sends cookies with requests, with the same meaning as in `fetch`. Default: the `fetch`
   * default.
   */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** The timeouts for a call. Default: see `Timeouts`. */
  timeouts?: Timeouts | undefined;
  /** The retry policy for a call, or `false` for no retries. Default: see `Retry`. */
  retry?: Retry | false | undefined;
  /** Functions that observe calls. Default: none. */
  hooks?: Hooks | undefined;
  /** The maximum size in bytes of a document that is held in memory. Default: 536,870,912 (512 MiB). */
  maxBytes?: number | undefined;
  /** Whether to check that every document is a whole PDF. Default: `true`. */
  verify?: boolean | undefined;
  /** A custom `fetch` that sends every request. Default: none; in Node, the client's own connections are used. */
  fetch?: FetchLike | undefined;
  /** A custom undici dispatcher (7 or later) that sends every request. The client never closes it. Default: none. */
  dispatcher?: DispatcherLike | undefined;
  /**
   * Allows sending an API key to another machine over plain `http://`. Only `localhost`, `127.0.0.0/8` and `[::1]` always are this
   * machine: `x.localhost` depends on DNS. Default: `false`.
   */
  allowInsecureHttp?: boolean | undefined;
  /** Allows using an API key in a browser, where every visitor can read it. Default: `false`. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The settings that a call takes from its own options or from its client. */
export interface CallSettings {
  readonly timeouts: Complete<Timeouts>;
  /** Whether `timeouts.total` applies until the end of a stream, because `total` was set. */
  readonly totalLimitsStreams: boolean;
  readonly retry: RetryPolicy;
  readonly maxBytes: number;
  readonly verify: boolean;
  readonly hooks: Hooks;
}

/** A client's options, checked and with all defaults filled in. */
export interface ResolvedOptions extends TransportSettings, CallSettings {
  readonly baseUrl: URL;
  /** Whether every call rejects, because `baseUrl` is relative and this runtime has no page. */
  readonly needsPage: boolean;
  readonly endpoint: Endpoint;
  readonly apiKey: string | ApiKeySource | null;
  readonly headers: ReadonlyMap<string, string>;
  /** Whether an API key is allowed. By default, a browser must not have an API key. */
  readonly allowsApiKey: boolean;
  /** Explains mistakes in settings, and error responses; `undefined` for short messages. */
  readonly advice: Advice | undefined;
}

const defaultMaxBytes = 512 * 1024 * 1024;

const rules: Rules<ClientOptions> = {
  baseUrl: undefined,
  apiKey: undefined,
  headers: undefined,
  credentials: isCredentials,
  timeouts: isTimeouts,
  retry: isRetry,
  hooks: isObject,
  maxBytes: isByteCount,
  verify: isBoolean,
  fetch: isFunction,
  dispatcher: isDispatcher,
  allowInsecureHttp: isBoolean,
  dangerouslyAllowBrowser: isBoolean,
};

/** Checks a client's options, and returns a copy: see `checkOptions`. */
export function checkClientOptions(given: ClientOptions): ClientOptions {
  return checkOptions(given, rules, "client");
}

/** Fills in the defaults of checked options. @throws {ConfigurationError} for the first mistake */
export function resolveOptions(options: ClientOptions, advice?: Advice, userAgent?: string): ResolvedOptions {
  const allowsApiKey = !isPage() || options.dangerouslyAllowBrowser === true;
  // Frameworks also run the modules of a page on the server. A client with an API key is meant for the server.
  const needsPage = !options.apiKey && lacksPage(options.baseUrl);
  const baseUrl = needsPage ? new URL("https://page.invalid") : parseBaseUrl(options.baseUrl, advice);
  const apiKey = needsPage ? null : resolveApiKey(options.apiKey, allowsApiKey, advice);
  if (apiKey !== null && !options.allowInsecureHttp) checkEncryption(baseUrl);
  const { fetch, dispatcher } = options;
  if (fetch && dispatcher) {
    throw new ConfigurationError("Pass `fetch` or `dispatcher`, not both.");
  }
  return Object.freeze({
    baseUrl,
    needsPage,
    endpoint: endpointOf(baseUrl),
    apiKey,
    headers: new Map([
      ...defaultHeaders(userAgent),
      ...readHeaders(options.headers, apiKey === null, allowsApiKey, advice),
    ]),
    allowsApiKey,
    advice,
    credentials: options.credentials,
    timeouts: resolveTimeouts(options.timeouts),
    totalLimitsStreams: options.timeouts?.total !== undefined,
    retry: resolveRetry(options.retry),
    hooks: resolveHooks(options.hooks),
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    verify: options.verify ?? true,
    fetch,
    dispatcher,
  });
}
