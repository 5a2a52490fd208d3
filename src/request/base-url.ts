import { ConfigurationError } from "../errors/errors.ts";
import { adviceOnEnvFile, pageAddress, type ReadEnvFile, readEnvironment } from "../runtime/environment.ts";
import { missingText } from "./missing-text.ts";

/** Whether a base URL is relative and this runtime has no page. */
export function lacksPage(baseUrl: unknown): boolean {
  return typeof baseUrl === "string" && /^\.{0,2}\/(?!\/)/.test(baseUrl) && !pageAddress();
}

/** @throws {ConfigurationError} if a client lacks its page: see `lacksPage` */
export function checkPage(needsPage: boolean): void {
  if (!needsPage) return;
  throw new ConfigurationError("A relative `baseUrl` works only in a browser. Pass an absolute URL.");
}

/**
 * Parses the base URL from the option or the environment. @throws {ConfigurationError} if the URL is missing
 * or unusable
 */
export function parseBaseUrl(
  baseUrl: string | URL | undefined = readEnvironment("TEMPLATE_PDF_BASE_URL"),
  readEnvFile?: ReadEnvFile,
): URL {
  if (baseUrl === undefined || baseUrl === "") {
    throw new ConfigurationError(
      `The base URL of the service is missing. ${adviceOnEnvFile("TEMPLATE_PDF_BASE_URL", readEnvFile) ?? "Pass `baseUrl` or set TEMPLATE_PDF_BASE_URL, for example to https://pdf.example.com."}`,
    );
  }
  let url: URL | undefined;
  try {
    url = new URL(baseUrl, pageAddress());
  } catch {
    // The error is thrown below.
  }
  const problem = baseUrlProblem(String(baseUrl), url);
  if (url === undefined || problem !== undefined) {
    throw new ConfigurationError(
      `The base URL ${problem}. Set \`baseUrl\` to a URL such as https://pdf.example.com or https://example.com/prefix.`,
    );
  }
  return url;
}

/** The path of the endpoint, which the client adds to the base URL. */
const endpointPath = /\/api\/v1\/templates(?:\/|$)|\/generate-sync\/?$/;

function baseUrlProblem(text: string, url: URL | undefined): string | undefined {
  const missing = missingText(text);
  if (missing) return missing;
  if (url && missingText(url.hostname))
    return `has the host name ${url.hostname}, so a part of it is missing`;
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
