import { ConfigurationError } from "../errors/errors.ts";
import { pageAddress, readEnvironment } from "../runtime/environment.ts";

/** The spec's endpoint below a client's base URL. */
export interface Endpoint {
  /** Scheme, host and port: `https://pdf.example.com`. */
  readonly origin: string;
  /** The part of the path before the uid: `/prefix/api/v1/templates/`. */
  readonly pathBeforeUid: string;
  /** The path prefix of `baseUrl`, for messages: `/` or `/prefix`. */
  readonly basePath: string;
}

/** Derives the endpoint from a base URL (spec, "Endpoints": path shape; "Versioning": `/api/v1`). */
export function endpointOf(baseUrl: URL): Endpoint {
  const prefix = prefixOf(baseUrl);
  return {
    origin: baseUrl.origin,
    pathBeforeUid: `${prefix}/api/v1/templates/`,
    basePath: prefix || "/",
  };
}

/** Writes a base URL without slashes at its end: the same text for the same service. */
export function addressOf(baseUrl: URL): string {
  return baseUrl.origin + prefixOf(baseUrl);
}

function prefixOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, "");
}

/** Writes the path that renders a template (spec, "Endpoints": path shape), with its uid as one segment. */
export function pathTo(endpoint: Endpoint, uid: string): string {
  checkUid(uid);
  return `${endpoint.pathBeforeUid}${encodeURIComponent(uid)}/generate-sync`;
}

/** Checks that one segment of a path can carry a uid. @throws {ConfigurationError} if it cannot */
export function checkUid(uid: unknown): void {
  const problem = uidProblem(uid);
  if (problem !== undefined) {
    throw new ConfigurationError(
      `The template uid ${problem}. Copy the uid from the dashboard as it is. Nothing was sent.`,
    );
  }
}

/** Says why something cannot be a uid, if it cannot. */
export function uidProblem(uid: unknown): string | undefined {
  if (typeof uid !== "string") {
    return `must be a string, got ${uid === null ? "null" : typeof uid}: it comes first, then the values`;
  }
  if (uid === "") return "must not be empty";
  if (uid === "." || uid === "..") return `must not be "${uid}", which would point at another path`;
  if (/\p{Cc}/u.test(uid)) return "must hold no control character";
  if (/\p{Surrogate}/u.test(uid)) return "must be well-formed Unicode";
  return undefined;
}

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
