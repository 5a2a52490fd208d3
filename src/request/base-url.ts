import { ConfigurationError } from "../errors/errors.ts";
import { pageAddress, readEnvironment } from "../runtime/environment.ts";

/** Whether a base URL is relative to a page, and this is not one. */
export function lacksPage(baseUrl: unknown): boolean {
  return typeof baseUrl === "string" && /^\.{0,2}\/(?!\/)/.test(baseUrl) && !pageAddress();
}

/** Parses the base URL: the option or the environment's. @throws {ConfigurationError} if it is missing or unusable */
export function parseBaseUrl(
  baseUrl: string | URL | undefined = readEnvironment("TEMPLATE_PDF_BASE_URL"),
): URL {
  if (baseUrl === undefined || baseUrl === "") {
    throw new ConfigurationError(
      "The base URL of the service is missing. Give `baseUrl`, or set TEMPLATE_PDF_BASE_URL, such as https://pdf.example.com.",
    );
  }
  let url: URL | undefined;
  try {
    url = new URL(baseUrl, pageAddress());
  } catch {
    // The error below says what is wrong.
  }
  const problem = baseUrlProblem(String(baseUrl), url);
  if (url === undefined || problem !== undefined) {
    throw new ConfigurationError(
      `The base URL ${problem}. Expected \`baseUrl\` to be like https://pdf.example.com or https://example.com/prefix.`,
    );
  }
  return url;
}

function baseUrlProblem(text: string, url: URL | undefined): string | undefined {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  if (!hasScheme && !pageAddress()) return "does not begin with https:// (or http:// on this machine)";
  if (url === undefined) return "is no absolute URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `has the scheme ${url.protocol}`;
  if (url.username || url.password) return "holds credentials, which would end up in logs";
  if (url.search || url.hash) return "has a query or a fragment";
  return undefined;
}
