import { ConfigurationError } from "../errors/errors.ts";
import { describeKind } from "../errors/value-kinds.ts";
import { pageAddress, readEnvironment } from "../runtime/environment.ts";

/** The service endpoint (see the spec) under a client's base URL. */
export interface Endpoint {
  /** Scheme, host and port, for example `https://pdf.example.com`. */
  readonly origin: string;
  /** The part of the path before the uid, for example `/prefix/api/v1/templates/`. */
  readonly pathBeforeUid: string;
  /** The path prefix of `baseUrl`, for messages, for example `/` or `/prefix`. */
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

/** Returns a base URL without trailing slashes, so that one service has one address. */
export function addressOf(baseUrl: URL): string {
  return baseUrl.origin + prefixOf(baseUrl);
}

function prefixOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, "");
}

/** Returns the path that renders a template (spec, "Endpoints": path shape), with its uid as one segment. */
export function pathTo(endpoint: Endpoint, uid: string): string {
  checkUid(uid);
  return `${endpoint.pathBeforeUid}${encodeURIComponent(uid)}/generate-sync`;
}

/** Checks that a uid can be one segment of a path. @throws {ConfigurationError} if it cannot */
export function checkUid(uid: unknown): void {
  if (isUid(uid)) return;
  const got = typeof uid === "string" ? JSON.stringify(uid) : describeKind(uid);
  throw new ConfigurationError(`Expected a template uid from the dashboard, got ${got}.`);
}

/** Whether a value can be a uid: a well-formed string that has no control characters and is not `.` or `..`. */
export function isUid(uid: unknown): uid is string {
  return typeof uid === "string" && !/^\.{0,2}$|[\p{Cc}\p{Surrogate}]/u.test(uid);
}

/** Whether a base URL is relative and this runtime has no page. */
export function lacksPage(baseUrl: unknown): boolean {
  return typeof baseUrl === "string" && /^\.{0,2}\/(?!\/)/.test(baseUrl) && !pageAddress();
}

/** @throws {ConfigurationError} if a client lacks its page: see `lacksPage` */
export function checkPage(needsPage: boolean): void {
  if (!needsPage) return;
  throw new ConfigurationError("A relative `baseUrl` works only in a browser. Pass an absolute URL.");
}

/** The path of the endpoint, which the client adds to the base URL. */
export const endpointPath = /\/api\/v1\/templates(?:\/|$)|\/generate-sync\/?$/;

/** Recognizes mistakes in a base URL. */
export interface BaseUrlAdvice {
  /**
   * Returns the message of the error, or `undefined` if it finds no mistake.
   *
   * @param text - empty if the base URL is missing
   */
  baseUrl(text: string): string | undefined;
}

/**
 * Parses the base URL from the option or the environment. @throws {ConfigurationError} if the URL is missing
 * or unusable
 */
export function parseBaseUrl(given: string | URL | undefined, advice: BaseUrlAdvice | undefined): URL {
  const text = String(given ?? readEnvironment("TEMPLATE_PDF_BASE_URL") ?? "");
  const message = advice?.baseUrl(text);
  if (message !== undefined) throw new ConfigurationError(message);
  try {
    const url = new URL(text, pageAddress());
    const { protocol, username, password, search, hash, pathname } = url;
    const isAddress = /^https?:$/.test(protocol) && !(username || password || search || hash);
    if (text !== "" && isAddress && !endpointPath.test(pathname)) return url;
  } catch {
    // The error is thrown below.
  }
  throw new ConfigurationError(
    "Expected `baseUrl` to be an http(s) URL without credentials, query, fragment or endpoint path.",
  );
}
