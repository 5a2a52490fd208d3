import { ConfigurationError } from "../errors/errors.ts";
import { describeKind } from "../errors/value-kinds.ts";

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
  if (isUid(uid)) return;
  const got = typeof uid === "string" ? JSON.stringify(uid) : describeKind(uid);
  throw new ConfigurationError(`Expected the template uid as the dashboard shows it, got ${got}.`);
}

/** Whether something can be a uid: well-formed text without control characters that is no step to another path. */
export function isUid(uid: unknown): uid is string {
  return typeof uid === "string" && !/^\.{0,2}$|[\p{Cc}\p{Surrogate}]/u.test(uid);
}
