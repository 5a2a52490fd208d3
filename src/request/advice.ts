import { adviceOnResponse, type ResponseAdvice } from "../errors/situations.ts";
import { pageAddress, parseUrl } from "../runtime/environment.ts";
import { type ApiKeyAdvice, isWellFormedKey } from "./api-key.ts";
import { type BaseUrlAdvice, endpointPath } from "./endpoint.ts";
import { type HeaderAdvice, isHeaderName, isHeaderValue, isPair } from "./headers.ts";

/** Explains mistakes in settings, and error responses. Platforms without it have short messages. */
export type Advice = BaseUrlAdvice & ApiKeyAdvice & HeaderAdvice & ResponseAdvice;

/**
 * Returns the advice for servers. Browsers have none, because every visitor would load it.
 *
 * @param readEnvFile - reads `.env` in the working directory, in a runtime that does not load that file by default. Returns an
 * empty string if there is none
 */
export function serverAdvice(readEnvFile?: () => string): Advice {
  const adviceOnEnvFile = (name: string) =>
    isSetIn(readEnvFile?.(), name)
      ? `The .env file sets ${name}, but Node does not load it by default. Start your program with node --env-file=.env.`
      : undefined;
  return {
    baseUrl(text) {
      if (text === "") {
        return `The base URL of the service is missing. ${adviceOnEnvFile("TEMPLATE_PDF_BASE_URL") ?? "Pass `baseUrl` or set TEMPLATE_PDF_BASE_URL, for example to https://pdf.example.com."}`;
      }
      const problem = baseUrlProblem(text);
      return (
        problem &&
        `The base URL ${problem}. Set \`baseUrl\` to a URL such as https://pdf.example.com or https://example.com/prefix.`
      );
    },
    apiKey: adviceOnKey,
    header: adviceOnHeader,
    response: adviceOnResponse,
    missingApiKey: () =>
      `The API key is missing. ${
        adviceOnEnvFile("TEMPLATE_PDF_API_KEY") ??
        "Pass `apiKey` or set TEMPLATE_PDF_API_KEY to a key from the dashboard (Settings » API keys), or pass `apiKey: null` if the server at `baseUrl` holds the key."
      }`,
  };
}

function isSetIn(envFile: string | undefined, name: string): boolean {
  const pairs = envFile?.split("\n").map((line) => line.replace(/^\s*export\s/, "").split("="));
  return pairs?.some(([key, value]) => key?.trim() === name && value?.trim()) ?? false;
}

function baseUrlProblem(text: string): string | undefined {
  const unset = unsetText(text);
  if (unset) return unset;
  const url = parseUrl(text, pageAddress());
  if (url && unsetText(url.hostname)) return `has the host name ${url.hostname}, so a part of it is missing`;
  const [quote] = /^["'`\u2018\u201c]/.exec(text) ?? [];
  if (quote) return `begins with the quotation mark ${quote}`;
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  if (!hasScheme && !pageAddress()) {
    return `does not begin with https:// (or http:// on this machine)${beginningOf(text)}`;
  }
  if (url === undefined) return "is not an absolute URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `has the scheme ${url.protocol}`;
  if (url.username || url.password) return "contains credentials, which would appear in logs";
  if (url.search || url.hash) return "has a query or a fragment";
  if (endpointPath.test(url.pathname)) return "contains the endpoint path, which the client adds";
  return undefined;
}

/** Quotes the beginning of a base URL if it is white space, a host or a scheme. Anything else may be a misplaced key. */
function beginningOf(text: string): string {
  const [beginning] =
    /^(?:\s+|https?[:/]{1,3}|(?:[a-z\d-]{1,30}\.){1,4}[a-z]{2,6}(?=[:/]|$)|localhost\b|[\d.]+(?=[:/]|$))/i.exec(
      text,
    ) ?? [];
  return beginning ? `, but with ${JSON.stringify(beginning)}` : "";
}

function adviceOnKey(key: unknown): string | undefined {
  if (typeof key !== "string") {
    const got = key === null ? "null" : typeof key;
    return `Expected \`apiKey\` to be a string, or a function that returns one, got ${got}.`;
  }
  const unset = unsetText(key);
  if (unset) return `The API key ${unset}. Check the code or the variable that the key comes from.`;
  const [, quote] = /^\s*(["'`\u2018\u201c]).*["'`\u2019\u201d]\s*$/.exec(key) ?? [];
  if (!quote && isWellFormedKey(key)) return undefined;
  const other =
    key === "" ? "is empty" : "contains white space, a line break or another character that keys cannot have";
  return `The API key ${quote ? `is in quotation marks (${quote})` : other}. Copy only the key from the dashboard (Settings » API keys), without quotation marks, line breaks or the word API-Key.`;
}

function adviceOnHeader(pair: unknown): string {
  if (!isPair(pair)) return "Expected `headers` to be an object, or [name, value] pairs of strings.";
  const [name, value] = pair;
  if (!isHeaderName(name))
    return "A name in `headers` contains a character that HTTP does not allow, for example a space or a colon.";
  if (!isHeaderValue(value))
    return `Expected the value of the \`${name}\` header to be Latin-1 text without line breaks or control characters.`;
  const lower = name.toLowerCase();
  const remedy =
    lower === "authorization"
      ? "Pass the key as `apiKey`, or pass `apiKey: null` to send your own header."
      : "Remove it from `headers`.";
  return `The client sets the \`${lower}\` header. ${remedy}`;
}

/**
 * Texts that a missing or wrong value becomes when it is converted to a string, and placeholders that were not replaced, such as
 * `${API_KEY}`, `$API_KEY`, `%API_KEY%`, `<API_KEY>` or `{{api_key}}`.
 */
const converted = /^(?:undefined|null|NaN|true|false|\[object \w+\])$/;
const placeholder = /^(?:\$\{\w+\}|\$[A-Z\d]+(?:_[A-Z\d]+)+|%\w+%|<[^<>]*>|\{\{[^{}]*\}\})$/;

/**
 * Describes a setting that no code or variable can have set on purpose, as the end of a sentence; `undefined` for any other text.
 * A placeholder is not quoted, because it may contain the setting itself.
 */
function unsetText(text: string): string | undefined {
  const trimmed = text.trim();
  if (converted.test(trimmed)) {
    return `is the text ${JSON.stringify(trimmed)}, which a missing or wrong value becomes when it is converted to a string`;
  }
  return placeholder.test(trimmed) ? "is a placeholder that was not replaced" : undefined;
}
