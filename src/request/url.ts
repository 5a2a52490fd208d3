import { ConfigurationError } from "../errors/errors.ts";
import { describeKind } from "../errors/value-kinds.ts";

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
