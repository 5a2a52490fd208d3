import { type Supervisor, supervisor } from "../call/supervisor.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { type ApiKeySource, checkApiKey } from "../request/api-key.ts";
import { type HeadersInput, readHeaders } from "../request/headers.ts";
import { type Target, targetOf } from "../request/url.ts";
import { isPage, pageAddress, readEnvironment } from "../runtime/environment.ts";
import { isLoopback } from "../runtime/loopback.ts";
import type { FetchLike } from "../transport/fetch.ts";
import type { TransportSettings } from "../transport/transport.ts";
import type { DispatcherLike } from "../transport/undici.ts";
import { type Hooks, resolveHooks } from "./hooks.ts";
import {
  checkNames,
  checkOptions,
  isBoolean,
  isByteCount,
  isCredentials,
  isDispatcher,
  isFunction,
  isObject,
  isObjectOrFalse,
  isSignal,
  type Rules,
} from "./option-rules.ts";
import { limitsStreams, type Retry, resolveWaits, type Timeouts, type Waits } from "./timeouts.ts";

/** The options of a client. */
export interface ClientOptions {
  /**
   * Where the service lives, such as `https://pdf.example.com`; may carry a path prefix, but no credentials,
   * query or fragment. In a page it may be relative. Where it begins with `/` or `.`, the client can be made where there is no page,
   * as frameworks do on the server, and its calls reject there. Default: the environment's `TEMPLATE_PDF_BASE_URL`.
   */
  baseUrl?: string | URL | undefined;
  /**
   * The API key, or a function that gives it for every request. `null` says on purpose that the server at
   * `baseUrl` holds the key. Default: the environment's `TEMPLATE_PDF_API_KEY`.
   */
  apiKey?: string | ApiKeySource | null | undefined;
  /** Headers to be sent with every request. `authorization` only beside `apiKey: null`. Default: none. */
  headers?: HeadersInput | undefined;
  /** Pages: whether cookies go along, as for `fetch`. Default: as `fetch` does by itself. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** How long a call may wait. Default: see `Timeouts`. */
  timeouts?: Timeouts | undefined;
  /** When a call is tried again; `false` for never. Default: see `Retry`. */
  retry?: Retry | false | undefined;
  /** Hears of calls while they run. Default: none. */
  hooks?: Hooks | undefined;
  /** The most bytes a form that is held in memory may have. Default: 536,870,912 (512 MiB). */
  maxBytes?: number | undefined;
  /** Whether every document is proved to be a whole PDF. Default: `true`. */
  verify?: boolean | undefined;
  /** A `fetch` of your own to send every request with. Default: see `TemplatePdf.transport`. */
  fetch?: FetchLike | undefined;
  /** An undici dispatcher (7 or later) of your own to send every request with; never closed by the client. */
  dispatcher?: DispatcherLike | undefined;
  /** Allows an API key over plain `http://` to another machine. Default: `false`. */
  allowInsecureHttp?: boolean | undefined;
  /** Allows an API key in a page, where everybody can read it. Default: `false`. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The options of one call; each overrides the client's. */
export interface CallOptions {
  /** Cancels the call, at any moment, with its own reason. */
  signal?: AbortSignal | undefined;
  /** Headers to be sent with this request, beside the client's. */
  headers?: HeadersInput | undefined;
  /** How long the call may wait; what is missing is the client's. */
  timeouts?: Timeouts | undefined;
  /** When the call is tried again; what is missing is the client's. */
  retry?: Retry | false | undefined;
  /** The most bytes a form that is held in memory may have. Default: the client's. */
  maxBytes?: number | undefined;
  /** Whether the document is proved to be a whole PDF. Default: the client's. */
  verify?: boolean | undefined;
  /**
   * Hears how much of the document has come, each time that more of it comes. It is not waited for, and what it throws is
   * dropped.
   */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** @internal */
  [supervisor]?: Supervisor | undefined;
  /** @internal */
  [limitsStreams]?: boolean | undefined;
}

/** How much of a document has come. Where a document breaks and is asked for again, it begins anew. */
export interface Progress {
  /** How many bytes have come. */
  readonly receivedBytes: number;
  /**
   * How many there will be, where the answer tells. In a page that asks another origin it may turn out to be wrong, because the page
   * cannot see whether the answer was compressed: it is `undefined` from then on, and the document's `contentLength` always.
   */
  readonly totalBytes: number | undefined;
}

const defaultMaxBytes = 512 * 1024 * 1024;

/** What a call and its client both decide. */
interface CallSettings extends Waits {
  readonly maxBytes: number;
  readonly verify: boolean;
  readonly hooks: Hooks;
}

/** A client's options, checked once. */
export interface ResolvedOptions extends TransportSettings, CallSettings {
  readonly baseUrl: URL;
  /** Whether no call can be made, because `baseUrl` is relative to a page, and there is none. */
  readonly awaitsPage: boolean;
  readonly target: Target;
  readonly apiKey: string | ApiKeySource | null;
  readonly headers: ReadonlyMap<string, string>;
  /** Whether this code runs where an API key must not be. */
  readonly isExposed: boolean;
}

/** A call's options, checked and laid over the client's. */
export interface ResolvedCall extends CallSettings {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: ReadonlyMap<string, string> | undefined;
  readonly onProgress?: CallOptions["onProgress"];
  readonly supervisor?: Supervisor | undefined;
}

const clientRules: Rules<ClientOptions> = {
  baseUrl: undefined,
  apiKey: undefined,
  headers: undefined,
  credentials: isCredentials,
  timeouts: isObject,
  retry: isObjectOrFalse,
  hooks: isObject,
  maxBytes: isByteCount,
  verify: isBoolean,
  fetch: isFunction,
  dispatcher: isDispatcher,
  allowInsecureHttp: isBoolean,
  dangerouslyAllowBrowser: isBoolean,
};

const callRules: Rules<Omit<CallOptions, typeof supervisor | typeof limitsStreams>> = {
  signal: isSignal,
  headers: undefined,
  timeouts: isObject,
  retry: isObjectOrFalse,
  maxBytes: isByteCount,
  verify: isBoolean,
  onProgress: isFunction,
};

/**
 * Checks a client's options and fills in what is missing.
 *
 * @throws {ConfigurationError} for the first thing that is wrong
 */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  checkOptions(options, clientRules, "client");
  const isExposed = isPage() && !options.dangerouslyAllowBrowser;
  const awaitsPage = isRelativeOutsidePage(options);
  const baseUrl = awaitsPage ? new URL("https://page.invalid") : resolveBaseUrl(options.baseUrl);
  const apiKey = awaitsPage ? null : resolveApiKey(options, isExposed);
  const isReadableOnTheWay = baseUrl.protocol === "http:" && !isLoopback(baseUrl.hostname);
  if (apiKey !== null && isReadableOnTheWay && !options.allowInsecureHttp) {
    throw new ConfigurationError(
      `The API key would travel to ${baseUrl.host} unencrypted. Use https:// in \`baseUrl\`, or set \`allowInsecureHttp: true\` if that network is yours.`,
    );
  }
  const { fetch, dispatcher } = options;
  if (fetch && dispatcher) {
    throw new ConfigurationError(
      "Both `fetch` and `dispatcher` were given, and each would send the requests. Give one of them.",
    );
  }
  return Object.freeze({
    baseUrl,
    awaitsPage,
    target: targetOf(baseUrl),
    apiKey,
    headers: resolveHeaders(options.headers, apiKey, isExposed),
    isExposed,
    credentials: options.credentials,
    ...resolveWaits(options),
    hooks: resolveHooks(options.hooks),
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    verify: options.verify ?? true,
    fetch,
    dispatcher,
  });
}

/**
 * Checks that options are ones that a client has.
 *
 * @throws {ConfigurationError} naming the nearest option that does exist
 */
export function checkClientNames(options: ClientOptions): void {
  checkNames(options, Object.keys(clientRules), "client");
}

/**
 * Checks a call's options and lays them over the client's.
 *
 * @throws {ConfigurationError} for the first thing that is wrong
 */
export function resolveCall(client: ResolvedOptions, options: CallOptions | undefined): ResolvedCall {
  if (options !== undefined) checkOptions(options, callRules, "call");
  const { timeouts, isTotalExplicit, retry } = options ? resolveWaits(options, client) : client;
  // Member by member, and the same for every call: a spread would cost more than all the checks.
  return {
    signal: options?.signal,
    headers:
      options?.headers === undefined
        ? undefined
        : resolveHeaders(options.headers, client.apiKey, client.isExposed),
    timeouts,
    isTotalExplicit: isTotalExplicit || options?.[limitsStreams] === true,
    retry,
    hooks: client.hooks,
    maxBytes: options?.maxBytes ?? client.maxBytes,
    verify: options?.verify ?? client.verify,
    onProgress: options?.onProgress,
    supervisor: options?.[supervisor],
  };
}

/**
 * Whether a client is meant for a page, and made elsewhere: frameworks run the modules of a page on the server, too,
 * before there is a page. A key says that it is meant for a server.
 */
function isRelativeOutsidePage({ baseUrl, apiKey }: ClientOptions): boolean {
  return !apiKey && typeof baseUrl === "string" && /^\.{0,2}\/(?!\/)/.test(baseUrl) && !pageAddress();
}

function resolveApiKey(options: ClientOptions, isExposed: boolean): string | ApiKeySource | null {
  const key =
    options.apiKey === undefined ? readEnvironment("TEMPLATE_PDF_API_KEY") || undefined : options.apiKey;
  if (key === null || (key === undefined && isPage())) return null;
  if (key === undefined) {
    throw new ConfigurationError(
      "An API key is missing. Give `apiKey`, or set TEMPLATE_PDF_API_KEY; the dashboard shows keys under Settings » API keys. If the server at `baseUrl` holds the key, say so with `apiKey: null`.",
    );
  }
  if (isExposed) throw keyInPage();
  return typeof key === "function" ? key : checkApiKey(key);
}

/** Reads the headers of a client or a call; one of them may be a key in disguise. */
function resolveHeaders(
  headers: HeadersInput | undefined,
  apiKey: ResolvedOptions["apiKey"],
  isExposed: boolean,
): Map<string, string> {
  const read = readHeaders(headers, apiKey === null);
  if (isExposed && /^api-key /i.test(read.get("authorization") ?? "")) throw keyInPage();
  return read;
}

function keyInPage(): ConfigurationError {
  return new ConfigurationError(
    "An API key in a page can be read by everybody who opens it. Keep the key on your server and point `baseUrl` at that server, without `apiKey`; or set `dangerouslyAllowBrowser: true` if this page is for your own eyes only.",
  );
}

function resolveBaseUrl(text: string | URL | undefined = readEnvironment("TEMPLATE_PDF_BASE_URL")): URL {
  if (text === undefined || text === "") {
    throw new ConfigurationError(
      "The base URL of the service is missing. Give `baseUrl`, or set TEMPLATE_PDF_BASE_URL, such as https://pdf.example.com.",
    );
  }
  const url = parseUrl(text);
  const wrong = objectionTo(String(text), url);
  if (url === undefined || wrong !== undefined) {
    throw new ConfigurationError(
      `The base URL ${wrong}. Expected \`baseUrl\` to be like https://pdf.example.com or https://example.com/prefix.`,
    );
  }
  return url;
}

function objectionTo(text: string, url: URL | undefined): string | undefined {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  if (!hasScheme && !pageAddress()) return "does not begin with https:// (or http:// on this machine)";
  if (url === undefined) return "is no absolute URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `has the scheme ${url.protocol}`;
  if (url.username || url.password) return "holds credentials, which would end up in logs";
  if (url.search || url.hash) return "has a query or a fragment";
  return undefined;
}

function parseUrl(text: string | URL): URL | undefined {
  try {
    return new URL(text, pageAddress());
  } catch {
    return undefined;
  }
}
