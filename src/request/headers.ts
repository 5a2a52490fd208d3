import { ConfigurationError } from "../errors/errors.ts";
import { keyInBrowser } from "./api-key.ts";

/** Headers as an object, a `Headers`, or pairs. Properties that are `undefined` are left out. */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | undefined };

/** Headers that the spec or HTTP itself sets. Any other value would break the request, or smuggle in a second one. */
const reserved = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Checks a caller's headers and returns them by lower-case name.
 *
 * @param mayAuthorize - whether they may contain `authorization`: only without an API key
 * @param allowsApiKey - whether that may be an API key: not in a browser
 * @throws {ConfigurationError} for a name or value that HTTP does not allow (RFC 9110, 5.1 and 5.5), a reserved
 * name, or an `authorization` that is not allowed; never with the value
 */
export function readHeaders(
  headers: HeadersInput | undefined,
  mayAuthorize: boolean,
  allowsApiKey: boolean,
): Map<string, string> {
  const read = new Map<string, string>();
  if (headers === undefined) return read;
  if (typeof headers !== "object" || headers === null) {
    const got = headers === null ? "null" : typeof headers;
    throw new ConfigurationError(`Expected \`headers\` to be an object or pairs, got ${got}.`);
  }
  const pairs: Iterable<unknown> = Symbol.iterator in headers ? headers : Object.entries(headers);
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") {
      throw new ConfigurationError("Expected every pair of `headers` to be [name, value], both strings.");
    }
    const [name, value] = pair as [string, unknown];
    if (value === undefined) continue;
    const key = checkName(name, mayAuthorize);
    const before = read.get(key);
    const checked = checkValue(name, value);
    // Several headers of one name form one list (RFC 9110, 5.3).
    read.set(key, before === undefined ? checked : `${before}, ${checked}`);
  }
  if (!allowsApiKey && read.get("authorization")?.match(/^api-key /i)) throw keyInBrowser();
  return read;
}

function checkName(name: string, mayAuthorize: boolean): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    throw new ConfigurationError(
      "The name of one of the `headers` holds a character that HTTP does not allow there, such as a space or a colon.",
    );
  }
  const lower = name.toLowerCase();
  if (reserved.has(lower)) {
    throw new ConfigurationError(
      `The header \`${lower}\` is set by the client and cannot be given in \`headers\`.`,
    );
  }
  if (lower === "authorization" && !mayAuthorize) {
    throw new ConfigurationError(
      "The header `authorization` carries the API key: give the key as `apiKey`, or `apiKey: null` to send a header of your own.",
    );
  }
  return lower;
}

function checkValue(name: string, value: unknown): string {
  // Visible ASCII, spaces and tabs inside, and the upper half of Latin-1 (RFC 9110, 5.5).
  if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new ConfigurationError(
      `The value of the header \`${name}\` must be a string without line breaks, control characters or characters beyond Latin-1.`,
    );
  }
  // The white space of HTTP (RFC 9110, 5.6.3): a no-break space is part of the value.
  // The lookbehind matches a run of spaces once, not again from each of them.
  return value.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, "");
}
