import { isWellFormedKey } from "../request/api-key.ts";
import { Problem } from "./problem.ts";

/**
 * Builds the `authorize` of an endpoint for the spec's scheme: `Authorization: API-Key <API_KEY>`.
 *
 * The scheme word is compared without regard to case (RFC 9110, section 11.1), then exactly one space
 * follows. Keys are compared by their SHA-256, every key every time and without an early way out, so that the time
 * taken tells nothing about how much of a key was right.
 *
 * @param keys - the keys that may call: one or more, each of visible ASCII characters; or `"any"`, where any key may
 * @returns an `authorize` that refuses with 401 and `www-authenticate: API-Key`
 * @throws {TypeError} when there is no key, or one that no header could carry
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
  let digests: Promise<Uint8Array[]> | undefined;

  return async (request) => {
    const authorization = request.headers.get("authorization");
    if (authorization === null) return refusal("The call carries no API key.");
    const key = /^api-key (.+)$/is.exec(authorization)?.[1];
    if (key === undefined) return refusal("The authorization header does not have the form of an API key.");
    if (known === undefined) return undefined;
    digests ??= Promise.all(known.map(digest));
    const [given, expected] = await Promise.all([digest(key), digests]);
    return isAmong(given, expected) ? undefined : refusal("The API key is not valid here.");
  };
}

function refusal(wrong: string): Problem {
  return new Problem(
    401,
    `${wrong} Send the header "Authorization: API-Key <API_KEY>" (one space) with a key of this server.`,
    { kind: "key-refused", headers: { "www-authenticate": "API-Key" } },
  );
}

async function digest(key: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
}

/** Digests are all of one length, so the loops run the same for every key given. */
function isAmong(given: Uint8Array, expected: readonly Uint8Array[]): boolean {
  let found = 0;
  for (const candidate of expected) {
    let difference = 0;
    given.forEach((byte, index) => {
      difference |= byte ^ (candidate[index] ?? 0);
    });
    found |= Number(difference === 0);
  }
  return found === 1;
}
