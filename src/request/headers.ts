import { ConfigurationError } from "../errors/errors.ts";
import { isAnyObject } from "../errors/value-kinds.ts";
import { decodeUtf8, isPage } from "../runtime/environment.ts";
import { keyInBrowser } from "./api-key.ts";

/** Headers as an object, a `Headers` instance or pairs. Properties that are `undefined` are omitted. */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | undefined };

/** Headers that the spec or HTTP sets. Another value would break the request or allow request smuggling. */
const reserved =
  /^(?:connection|content-(?:encoding|length|type)|expect|host|keep-alive|proxy-(?:authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

/** Recognizes mistakes in headers. */
export interface HeaderAdvice {
  /** Returns the message of the error for a header that is not allowed. The message never contains the value. */
  header(pair: unknown): string;
}

/**
 * Checks a caller's headers and returns them by their lower-case names.
 *
 * @param mayAuthorize - whether `authorization` is allowed: only if there is no API key
 * @param allowsApiKey - whether `authorization` may contain an API key: by default, not in browsers
 * @throws {ConfigurationError} for a name or value that HTTP does not allow (RFC 9110, 5.1 and 5.5), a reserved
 * name, or an `authorization` that is not allowed. The message never contains the value
 */
export function readHeaders(
  headers: HeadersInput | undefined,
  mayAuthorize: boolean,
  allowsApiKey: boolean,
  advice: HeaderAdvice | undefined,
): Map<string, string> {
  const read = new Map<string, string>();
  if (headers === undefined) return read;
  for (const given of pairsOf(headers)) {
    // Read once, because a proxy may return something else the next time.
    const pair: unknown = Array.isArray(given) ? [...given] : given;
    const isAllowed = isPair(pair) && (pair[1] === undefined || isAllowedHeader(pair, mayAuthorize));
    if (!isAllowed) throw new ConfigurationError(advice?.header(pair) ?? notAllowed);
    const [name, value] = pair;
    if (value === undefined) continue;
    const key = name.toLowerCase();
    const before = read.get(key);
    // Only the white space of HTTP (RFC 9110, 5.6.3). A no-break space is part of the value.
    // The lookbehind avoids quadratic time for long runs of spaces.
    const trimmed = String(value).replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, "");
    // Several headers with the same name form one list (RFC 9110, 5.3).
    read.set(key, before === undefined ? trimmed : `${before}, ${trimmed}`);
  }
  if (!allowsApiKey && read.get("authorization")?.match(/^api-key /i)) throw keyInBrowser();
  return read;
}

const notAllowed =
  "Expected `headers` to have names and values that HTTP allows, except those that the client sets.";

function pairsOf(headers: HeadersInput): Iterable<unknown> {
  if (!isAnyObject(headers)) return [headers];
  return Symbol.iterator in headers ? headers : Object.entries(headers);
}

/** Whether a value is the name and the value of a header, of any type. */
export function isPair(pair: unknown): pair is readonly [name: string, value: unknown] {
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string";
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

/** Whether a header can have a value: visible ASCII, spaces, tabs, and the upper half of Latin-1 (RFC 9110, 5.5). */
export function isHeaderValue(value: unknown): boolean {
  return typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function isAllowedHeader([name, value]: readonly [string, unknown], mayAuthorize: boolean): boolean {
  const lower = name.toLowerCase();
  const isCallers = lower === "authorization" ? mayAuthorize : !reserved.test(lower);
  return isHeaderName(name) && isCallers && isHeaderValue(value);
}

/**
 * Returns the headers that the client sends unless the caller replaces them. Firewalls reject requests without them.
 *
 * @param userAgent - missing in browsers, which send their own. Another one would need the permission of CORS
 */
export function defaultHeaders(userAgent: string | undefined): [name: string, value: string][] {
  const accept: [string, string] = ["accept", "application/pdf"];
  return userAgent && !isPage() ? [accept, ["user-agent", userAgent]] : [accept];
}

/**
 * Returns a function that returns the headers of a call without `headers` of its own. They are built once for each API key.
 *
 * @param extra - the headers of the client
 */
export function shareHeaders(
  extra: ReadonlyMap<string, string>,
): (apiKey: string | null) => readonly string[] {
  let last: string | null | undefined;
  let shared: readonly string[] = [];
  return (apiKey) => {
    if (apiKey !== last) {
      shared = buildHeaders(apiKey, extra);
      last = apiKey;
    }
    return shared;
  };
}

/** Builds the request headers as a flat list of names and values (spec, "Authentication", rule 1; "Endpoints", request headers). */
export function buildHeaders(apiKey: string | null, extra: ReadonlyMap<string, string>): readonly string[] {
  const flat: string[] = [];
  if (apiKey !== null) flat.push("authorization", `API-Key ${apiKey}`);
  flat.push("content-type", "application/json");
  for (const [name, value] of extra) flat.push(name, value);
  return flat;
}

/**
 * Returns what is secret in an API key or the value of a custom `authorization` header: everything after the scheme, its longer
 * parts, and the decoded text and the password of `Basic`.
 */
export function credentialsIn(authorization: string): readonly string[] {
  const credentials = authorization.replace(/^\S+[\t ]+/, "");
  // The names of parameters occur in other texts, too, for example `username`.
  const values = credentials.replace(/(^|[\s,;])[\w-]+\s*=\s*(?=[^\s=,;])/g, " ");
  const parts = values.split(/[\s,;="']+/).filter((part) => part.length >= 8);
  const decoded = /^basic[\t ]/i.test(authorization) ? decodeBasic(credentials) : [];
  return [...new Set([credentials, ...parts, ...decoded])];
}

/** Decodes `user:password`, in Latin-1 and in UTF-8, and returns the password alone, too (RFC 7617). */
function decodeBasic(credentials: string): readonly string[] {
  try {
    const latin1 = atob(credentials);
    const utf8 = decodeUtf8(Uint8Array.from(latin1, (one) => one.charCodeAt(0)));
    return [latin1, utf8].flatMap((text) => [text, text.slice(text.indexOf(":") + 1)]);
  } catch {
    return [];
  }
}
