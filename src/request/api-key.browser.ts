import { ConfigurationError } from "../errors/errors.ts";
import { nameOfError } from "../errors/value-kinds.ts";
import type { ApiKeySource } from "./api-key.ts";

/** Replaces `api-key.ts` in browsers. A client without a key uses the key of the server at `baseUrl`. */
export function resolveApiKey(
  given: string | ApiKeySource | null | undefined,
  allowsApiKey: boolean,
): string | ApiKeySource | null {
  if (given === null || given === undefined) return null;
  if (!allowsApiKey) throw keyInBrowser();
  return typeof given === "function" ? given : checkApiKey(given);
}

function checkApiKey(key: unknown, attempts = 0): string {
  if (typeof key === "string" && /^(?!(?:undefined|null|NaN)$)[!-~]+$/.test(key)) return key;
  throw new ConfigurationError(
    "Expected `apiKey` to be a string without spaces, as the dashboard shows it.",
    { attempts },
  );
}

export function keyInBrowser(): ConfigurationError {
  return new ConfigurationError(
    "Everyone who opens a web page can read its API key. Keep it on the server at `baseUrl`, or set `dangerouslyAllowBrowser: true`.",
  );
}

/** Checks nothing, because browsers block http requests from https pages. */
export function checkEncryption(): void {}

/**
 * Calls an API key function. @throws {ConfigurationError} if the function throws, or does not return a key
 */
export async function readApiKey(
  source: ApiKeySource,
  attempts: number,
  lastError: unknown,
): Promise<string> {
  let key: unknown;
  try {
    key = await source();
  } catch (error) {
    // The error is not the `cause`, because it may contain a key.
    throw new ConfigurationError(`The \`apiKey\` function failed with ${nameOfError(error)}.`, {
      attempts,
      ...(lastError !== undefined && { cause: lastError }),
    });
  }
  return checkApiKey(key, attempts);
}
