import { ConfigurationError } from "../errors/errors.ts";
import { isAnyObject } from "../errors/value-kinds.ts";
import { keyInBrowser } from "./api-key.ts";

/** Headers as an object, a `Headers` instance or pairs. Properties that are `undefined` are omitted. */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | undefined };

/** Headers that the spec or HTTP sets. Another value would break the request or allow request smuggling. */
const reserved =
  /^(?:connection|content-(?:encoding|length|type)|expect|host|keep-alive|proxy-(?:authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

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
): Map<string, string> {
  const read = new Map<string, string>();
  if (headers === undefined) return read;
  if (!isAnyObject(headers)) throw wrongShape();
  const pairs: Iterable<unknown> = Symbol.iterator in headers ? headers : Object.entries(headers);
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") throw wrongShape();
    const [name, value] = pair as [string, unknown];
    if (value === undefined) continue;
    const key = checkName(name, mayAuthorize);
    const before = read.get(key);
    const checked = checkValue(name, value);
    // Several headers with the same name form one list (RFC 9110, 5.3).
    read.set(key, before === undefined ? checked : `${before}, ${checked}`);
  }
  if (!allowsApiKey && read.get("authorization")?.match(/^api-key /i)) throw keyInBrowser();
  return read;
}

function wrongShape(): ConfigurationError {
  return new ConfigurationError("Expected `headers` to be an object, or [name, value] pairs of strings.");
}

function checkName(name: string, mayAuthorize: boolean): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    throw new ConfigurationError(
      "A name in `headers` contains a character that HTTP does not allow, for example a space or a colon.",
    );
  }
  const lower = name.toLowerCase();
  const isKey = lower === "authorization";
  if (isKey ? mayAuthorize : !reserved.test(lower)) return lower;
  const advice = isKey
    ? "Pass the key as `apiKey`, or pass `apiKey: null` to send your own header."
    : "Remove it from `headers`.";
  throw new ConfigurationError(`The client sets the \`${lower}\` header. ${advice}`);
}

function checkValue(name: string, value: unknown): string {
  // Visible ASCII, spaces, tabs, and the upper half of Latin-1 (RFC 9110, 5.5).
  if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new ConfigurationError(
      `Expected the value of the \`${name}\` header to be Latin-1 text without line breaks or control characters.`,
    );
  }
  // Only the white space of HTTP (RFC 9110, 5.6.3). A no-break space is part of the value.
  // The lookbehind avoids quadratic time for long runs of spaces.
  return value.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, "");
}

/** Builds the request headers as a flat list of names and values (spec, "Authentication", rule 1; "Endpoints", request headers). */
export function buildHeaders(
  apiKey: string | undefined,
  extra: ReadonlyMap<string, string>,
): readonly string[] {
  const flat: string[] = [];
  if (apiKey !== undefined) flat.push("authorization", `API-Key ${apiKey}`);
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
    const utf8 = new TextDecoder().decode(Uint8Array.from(latin1, (one) => one.charCodeAt(0)));
    return [latin1, utf8].flatMap((text) => [text, text.slice(text.indexOf(":") + 1)]);
  } catch {
    return [];
  }
}
