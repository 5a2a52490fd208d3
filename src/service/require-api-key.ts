import { isWellFormedKey } from "../request/api-key.ts";
import { Problem } from "./problem.ts";

/**
 * Creates an `authorize` function for the scheme in the specification: `Authorization: API-Key <API_KEY>`.
 *
 * The scheme is case-insensitive (RFC 9110, 11.1), followed by exactly one space. Keys are compared by their SHA-256, so that the
 * timing does not reveal how much of a key matches.
 *
 * @param keys - the valid keys, of visible ASCII characters; `"any"` accepts every key
 * @returns a function that refuses with 401 and `www-authenticate: API-Key`
 * @throws {TypeError} if there are no keys, or a key cannot be sent in a header
 * @see spec, "Authentication"
 */
export function requireApiKey(
  keys: Iterable<string> | "any",
): (request: Request) => Promise<Problem | undefined> {
  const known = keys === "any" ? undefined : [...keys];
  if (known?.length === 0) throw new TypeError("Expected at least one API key, got none.");
  known?.forEach((key, index) => {
    if (typeof key !== "string" || !isWellFormedKey(key)) {
      throw new TypeError(
        `Expected API key number ${index + 1} to be a string of visible ASCII characters without spaces; ` +
          "a header cannot contain the key that was passed.",
      );
    }
  });
  let digests: Promise<string[]> | undefined;

  return async (request) => {
    const authorization = request.headers.get("authorization");
    if (authorization === null) return refusal("The request has no API key.");
    const key = /^api-key (.+)$/is.exec(authorization)?.[1];
    if (key === undefined) return refusal("The authorization header does not contain an API key.");
    if (known === undefined) return undefined;
    digests ??= Promise.all(known.map(digest));
    const [given, expected] = await Promise.all([digest(key), digests]);
    return expected.includes(given) ? undefined : refusal("The API key is not valid for this server.");
  };
}

function refusal(wrong: string): Problem {
  return new Problem(
    401,
    `${wrong} Send the header "Authorization: API-Key <API_KEY>" (one space) with a key for this server.`,
    { kind: "key-refused", headers: { "www-authenticate": "API-Key" } },
  );
}

async function digest(key: string): Promise<string> {
  return String(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))));
}
