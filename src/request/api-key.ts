import { ConfigurationError } from "../errors/errors.ts";
import { readForeignText } from "../errors/foreign-values.ts";
import { nameOfError } from "../errors/value-kinds.ts";
import {
  adviceOnEnvFile,
  isLoopback,
  isPage,
  type ReadEnvFile,
  readEnvironment,
} from "../runtime/environment.ts";
import { missingText } from "./missing-text.ts";

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

/** Checks an API key and returns it. @throws {ConfigurationError} if it is malformed; the message does not contain the key */
export function checkApiKey(key: unknown, attempts = 0): string {
  if (typeof key !== "string") {
    throw new ConfigurationError(
      `Expected \`apiKey\` to be a string, or a function that returns one, got ${key === null ? "null" : typeof key}.`,
      { attempts },
    );
  }
  const missing = missingText(key);
  if (missing) {
    throw new ConfigurationError(
      `The API key ${missing}. Check the code or the variable that the key comes from.`,
      { attempts },
    );
  }
  const [, quote] = /^\s*(["'`\u2018\u201c]).*["'`\u2019\u201d]\s*$/.exec(key) ?? [];
  if (quote || !isWellFormedKey(key)) {
    const other =
      key === ""
        ? "is empty"
        : "contains white space, a line break or another character that keys cannot have";
    const found = quote ? `is in quotation marks (${quote})` : other;
    throw new ConfigurationError(
      `The API key ${found}. Copy only the key from the dashboard (Settings » API keys), without quotation marks, line breaks or the word API-Key.`,
      { attempts },
    );
  }
  return key;
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
  readEnvFile?: ReadEnvFile,
): string | ApiKeySource | null {
  const key = given === undefined ? readEnvironment("TEMPLATE_PDF_API_KEY") || undefined : given;
  if (key === null || (key === undefined && isPage())) return null;
  if (key === undefined) {
    throw new ConfigurationError(
      `The API key is missing. ${
        adviceOnEnvFile("TEMPLATE_PDF_API_KEY", readEnvFile) ??
        "Pass `apiKey` or set TEMPLATE_PDF_API_KEY to a key from the dashboard (Settings » API keys), or pass `apiKey: null` if the server at `baseUrl` holds the key."
      }`,
    );
  }
  if (!allowsApiKey) throw keyInBrowser();
  return typeof key === "function" ? key : checkApiKey(key);
}

export function keyInBrowser(): ConfigurationError {
  return new ConfigurationError(
    "Everyone who opens a web page can read its API key. Keep the key on your server, set `baseUrl` to the address of that server, and omit `apiKey`. If only you open this page, set `dangerouslyAllowBrowser: true` instead.",
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
    const after = attempts === 1 ? "after 1 attempt" : `after ${attempts} attempts`;
    const progress = attempts === 0 ? "before the request was sent" : after;
    throw new ConfigurationError(
      `The \`apiKey\` function failed with ${name} ${progress}. Its error is not shown because it may contain a key: catch it in that function.`,
      { attempts, ...(lastError !== undefined && { cause: lastError }) },
    );
  }
  return checkApiKey(key, attempts);
}
