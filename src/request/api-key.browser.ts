import { ConfigurationError } from "../errors/errors.ts";
import { nameOfError } from "../errors/redact.ts";
import type { ApiKeySource } from "./api-key.ts";

/** What browsers load in place of `api-key.ts`: without a key, the server at `baseUrl` holds it. */
export function resolveApiKey(
  given: string | ApiKeySource | null | undefined,
  allowsApiKey: boolean,
): string | ApiKeySource | null {
  if (given === null || given === undefined) return null;
  if (!allowsApiKey) throw keyInBrowser();
  return typeof given === "function" ? given : checkApiKey(given);
}

function checkApiKey(key: unknown, attempts = 0): string {
  if (typeof key === "string" && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new ConfigurationError(
    "Expected `apiKey` to be a string without spaces, as the dashboard shows it.",
    { attempts },
  );
}

/** Creates the error for an API key in a browser. */
export function keyInBrowser(): ConfigurationError {
  return new ConfigurationError(
    "An API key in a page can be read by everybody who opens it. Keep it on the server at `baseUrl`, or set `dangerouslyAllowBrowser: true`.",
  );
}

/** The browser does not send a request over http from a page of https. */
export function checkEncryption(): void {}

/** Calls an API key function. @throws {ConfigurationError} if it throws, or does not return a key */
export async function readApiKey(
  source: ApiKeySource,
  attempts: number,
  lastError: unknown,
): Promise<string> {
  let key: unknown;
  try {
    key = await source();
  } catch (error) {
    // Not the cause, because what the function threw may contain a key.
    throw new ConfigurationError(`The function given as \`apiKey\` failed with ${nameOfError(error)}.`, {
      attempts,
      ...(lastError !== undefined && { cause: lastError }),
    });
  }
  return checkApiKey(key, attempts);
}
