import { ConfigurationError } from "../errors/errors.ts";
import { readForeignText } from "../errors/foreign-values.ts";
import { nameOfError } from "../errors/value-kinds.ts";
import { isLoopback, isPage, readEnvironment } from "../runtime/environment.ts";

/**
 * A function that returns the API key. The client calls the function for each attempt, so you can rotate
 * keys, or load a key after you create the client. If the function throws or does not return a key, the call
 * rejects.
 */
export type ApiKeySource = () => string | undefined | Promise<string | undefined>;

/** Whether a header can carry a key unchanged (RFC 9110, 5.5): only visible ASCII without spaces. */
export function isWellFormedKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Recognizes mistakes in an API key. */
export interface ApiKeyAdvice {
  /** Returns the message of the error, which never contains the key, or `undefined` if it finds no mistake. */
  apiKey(key: unknown): string | undefined;
  missingApiKey(): string;
}

/** Checks an API key and returns it. @throws {ConfigurationError} if it is malformed; the message does not contain the key */
export function checkApiKey(key: unknown, advice: ApiKeyAdvice | undefined, attempts = 0): string {
  const message = advice?.apiKey(key);
  const isKey = typeof key === "string" && isWellFormedKey(key) && !/^(?:undefined|null|NaN)$/.test(key);
  if (isKey && message === undefined) return key;
  throw new ConfigurationError(
    message ?? "Expected `apiKey` to be a string without spaces, as the dashboard shows it.",
    { attempts },
  );
}

/**
 * Resolves the API key for a client from its option or the environment; `null` if the server at `baseUrl`
 * holds the key.
 *
 * @throws {ConfigurationError} if the key is missing or malformed, or is used in a browser
 */
export function resolveApiKey(
  given: string | ApiKeySource | null | undefined,
  allowsApiKey: boolean,
  advice: ApiKeyAdvice | undefined,
): string | ApiKeySource | null {
  const key = given === undefined ? readEnvironment("TEMPLATE_PDF_API_KEY") || undefined : given;
  if (key === null || (key === undefined && isPage())) return null;
  if (key === undefined) throw new ConfigurationError(advice?.missingApiKey() ?? "`apiKey` is missing.");
  if (!allowsApiKey) throw keyInBrowser();
  return typeof key === "function" ? key : checkApiKey(key, advice);
}

export function keyInBrowser(): ConfigurationError {
  return new ConfigurationError(
    "Everyone who opens a web page can read its API key. Keep the key on the server at `baseUrl`, or set `dangerouslyAllowBrowser: true` if only you open this page.",
  );
}

/** @throws {ConfigurationError} if the API key would be sent to another machine unencrypted */
export function checkEncryption(baseUrl: URL): void {
  if (baseUrl.protocol !== "http:" || isLoopback(baseUrl.hostname)) return;
  throw new ConfigurationError(
    `The API key would be sent to ${baseUrl.host} unencrypted. Use https:// in \`baseUrl\`, or set \`allowInsecureHttp: true\` if you trust the network.`,
  );
}

/**
 * Calls an API key function.
 *
 * @param attempts - the number of attempts so far
 * @param lastError - the error from the last attempt, if there was one
 * @throws {ConfigurationError} if the function throws, or does not return a key
 */
export async function readApiKey(
  source: ApiKeySource,
  advice: ApiKeyAdvice | undefined,
  attempts: number,
  lastError: unknown,
): Promise<string> {
  let key: unknown;
  try {
    key = await source();
  } catch (error) {
    // The error is not the `cause`, because it may contain a key.
    const code = readForeignText(error, "code") ?? "";
    // A system code such as `ENOENT` says that a key file is missing.
    const name = nameOfError(error) + (/^E[A-Z]{2,9}$/.test(code) ? ` (${code})` : "");
    throw new ConfigurationError(
      `The \`apiKey\` function failed with ${name}. Its error is not shown because it may contain a key: catch it in that function.`,
      { attempts, cause: lastError },
    );
  }
  return checkApiKey(key, advice, attempts);
}
