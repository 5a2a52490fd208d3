import { ConfigurationError } from "../errors/errors.ts";
import { nameOfError } from "../errors/redact.ts";

/**
 * A source of API keys, asked whenever a request is sent: for keys that rotate, or that are not there yet when the client is made. A call for
 * which it gives none rejects.
 */
export type ApiKeySource = () => string | undefined | Promise<string | undefined>;

/** Whether a header can carry a key as it is (RFC 9110, 5.5): visible ASCII, without spaces. */
export function isWellFormedKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/**
 * Checks that a key can be written into a header, and gives it back.
 *
 * @param attempts - how often a call was tried before
 * @throws {ConfigurationError} without the key
 */
export function checkApiKey(key: unknown, attempts = 0): string {
  if (typeof key !== "string") {
    throw new ConfigurationError(
      `Expected \`apiKey\` to be a string, or a function that gives one, got ${key === null ? "null" : typeof key}.`,
      { attempts },
    );
  }
  if (!isWellFormedKey(key)) {
    const found = key === "" ? "is empty" : "holds white space, a line break or another character no key has";
    throw new ConfigurationError(
      `The API key ${found}. Copy it from the dashboard under Settings » API keys, alone: without quotes, line breaks or the word API-Key.`,
      { attempts },
    );
  }
  return key;
}

/**
 * Asks an API key function.
 *
 * @param attempts - how often the call was tried before
 * @param lastError - what the last attempt failed with
 * @throws {ConfigurationError} without what the function threw, which may hold a key
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
    // Without what it threw, which may hold a key; its cause is what the attempt before failed with.
    const name = nameOfError(error);
    const before = attempts === 1 ? "once" : `${attempts} times`;
    const sent = attempts === 0 ? "Nothing was sent." : `Tried ${before} before.`;
    throw new ConfigurationError(
      `The function given as \`apiKey\` failed with ${name}. ${sent} What it threw is not told here, because it may hold a key: catch it in that function.`,
      { attempts, ...(lastError !== undefined && { cause: lastError }) },
    );
  }
  return checkApiKey(key, attempts);
}
