import { ConfigurationError } from "../errors/errors.ts";
import { nameOfError } from "../errors/redact.ts";
import {
  adviceOnEnvFile,
  isLoopback,
  isPage,
  type ReadEnvFile,
  readEnvironment,
} from "../runtime/environment.ts";

/**
 * Returns the API key for a request. The client calls it for every attempt, so that keys can rotate, or load after the
 * client was created. If it returns `undefined`, the call rejects.
 */
export type ApiKeySource = () => string | undefined | Promise<string | undefined>;

/** Whether a header can carry a key unchanged (RFC 9110, 5.5): visible ASCII, without spaces. */
export function isWellFormedKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Checks an API key and returns it. @throws {ConfigurationError} without the key, with the attempts so far */
export function checkApiKey(key: unknown, attempts = 0): string {
  if (typeof key !== "string") {
    throw new ConfigurationError(
      `Expected \`apiKey\` to be a string, or a function that gives one, got ${key === null ? "null" : typeof key}.`,
      { attempts },
    );
  }
  const [, quote] = /^\s*(["'`\u2018\u201c]).*["'`\u2019\u201d]\s*$/.exec(key) ?? [];
  if (quote || !isWellFormedKey(key)) {
    const other = key === "" ? "is empty" : "holds white space, a line break or another character no key has";
    const found = quote ? `is in quotes (${quote}), which are no part of it` : other;
    throw new ConfigurationError(
      `The API key ${found}. Copy it from the dashboard under Settings » API keys, alone: without quotes, line breaks or the word API-Key.`,
      { attempts },
    );
  }
  return key;
}

/**
 * Resolves the API key of a client: the option or the environment's; `null` if the server at `baseUrl` holds the key.
 *
 * @throws {ConfigurationError} if the key is missing, malformed, or in a browser
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
      `An API key is missing. ${
        adviceOnEnvFile("TEMPLATE_PDF_API_KEY", readEnvFile) ??
        "Give `apiKey`, or set TEMPLATE_PDF_API_KEY; the dashboard shows keys under Settings » API keys. If the server at `baseUrl` holds the key, say so with `apiKey: null`."
      }`,
    );
  }
  if (!allowsApiKey) throw keyInBrowser();
  return typeof key === "function" ? key : checkApiKey(key);
}

/** Creates the error for an API key in a browser. */
export function keyInBrowser(): ConfigurationError {
  return new ConfigurationError(
    "An API key in a page can be read by everybody who opens it. Keep the key on your server and point `baseUrl` at that server, without `apiKey`; or set `dangerouslyAllowBrowser: true` if this page is for your own eyes only.",
  );
}

/** @throws {ConfigurationError} if an API key would travel to another machine unencrypted */
export function checkEncryption(baseUrl: URL): void {
  if (baseUrl.protocol !== "http:" || isLoopback(baseUrl.hostname)) return;
  throw new ConfigurationError(
    `The API key would travel to ${baseUrl.host} unencrypted. Use https:// in \`baseUrl\`, or set \`allowInsecureHttp: true\` if that network is yours.`,
  );
}

/**
 * Calls an API key function.
 *
 * @param attempts - how many attempts there were before; `lastError` is the error of the last of them
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
    // Not the cause, because what the function threw may contain a key.
    const { code } = Object(error) as { readonly code?: unknown };
    // Of a key file that is missing, the code of the system says so: `ENOENT`.
    const name = nameOfError(error) + (/^E[A-Z]{2,9}$/.test(String(code)) ? ` (${code})` : "");
    const before = attempts === 1 ? "once" : `${attempts} times`;
    const sent = attempts === 0 ? "Nothing was sent." : `Tried ${before} before.`;
    throw new ConfigurationError(
      `The function given as \`apiKey\` failed with ${name}. ${sent} What it threw is not told here, because it may hold a key: catch it in that function.`,
      { attempts, ...(lastError !== undefined && { cause: lastError }) },
    );
  }
  return checkApiKey(key, attempts);
}
