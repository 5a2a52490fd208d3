import { isWellFormedKey } from "../request/api-key.ts";
import { Problem } from "./problem.ts";

/**
 * Builds the `authorize` of an endpoint for the spec's scheme: `Authorization: API-Key <API_KEY>`.
 *
 * The scheme is compared without regard to case (RFC 9110, 11.1), then exactly one space follows. Keys are looked up by
 * their SHA-256, so that the time this takes tells nothing about how much of a key is right.
 *
 * @param keys - the keys that may call, each of visible ASCII characters; `"any"` accepts every key
 * @returns an `authorize` that refuses with 401 and `www-authenticate: API-Key`
 * @throws {TypeError} if there is no key, or a header cannot carry one
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
          "no header can carry it as it is.",
      );
    }
  });
  let digests: Promise<string[]> | undefined;

  return async (request) => {
    const authorization = request.headers.get("authorization");
    if (authorization === null) return refusal("The call carries no API key.");
    const key = /^api-key (.+)$/is.exec(authorization)?.[1];
    if (key === undefined) return refusal("The authorization header does not have the form of an API key.");
    if (known === undefined) return undefined;
    digests ??= Promise.all(known.map(digest));
    const [given, expected] = await Promise.all([digest(key), digests]);
    return expected.includes(given) ? undefined : refusal("The API key is not valid here.");
  };
}

function refusal(wrong: string): Problem {
  return new Problem(
    401,
    `${wrong} Send the header "Authorization: API-Key <API_KEY>" (one space) with a key of this server.`,
    { kind: "key-refused", headers: { "www-authenticate": "API-Key" } },
  );
}

async function digest(key: string): Promise<string> {
  return String(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))));
}
