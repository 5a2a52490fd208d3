import { ConfigurationError } from "../errors/errors.ts";

/** Where a client's requests go: computed once per client. */
export interface Target {
  /** Scheme, host and port: `https://pdf.example.com`. */
  readonly origin: string;
  /** Everything of the path that stands before the uid: `/prefix/api/v1/templates/`. */
  readonly pathBeforeUid: string;
  /** The path prefix of `baseUrl`, for messages: `/` or `/prefix`. */
  readonly basePath: string;
}

/** Derives a client's target from its base URL (spec, "Endpoints": path shape; "Versioning": `/api/v1`). */
export function targetOf(baseUrl: URL): Target {
  const prefix = baseUrl.pathname.replace(/(?<!\/)\/+$/, "");
  return {
    origin: baseUrl.origin,
    pathBeforeUid: `${prefix}/api/v1/templates/`,
    basePath: prefix || "/",
  };
}

/** Writes the path at which a template is rendered (spec, "Endpoints": path shape), its uid as one segment. */
export function pathTo(target: Target, uid: string): string {
  checkUid(uid);
  return `${target.pathBeforeUid}${encodeURIComponent(uid)}/generate-sync`;
}

/**
 * Checks that a uid can stand in a path.
 *
 * @throws {ConfigurationError} when it is no string, empty, `.` or `..`, or holds a control character or half
 * a surrogate pair: none of these can name a template in a path
 */
export function checkUid(uid: unknown): void {
  const wrong = objectionTo(uid);
  if (wrong !== undefined) {
    throw new ConfigurationError(
      `The template uid ${wrong}. Copy the uid from the dashboard as it is. Nothing was sent.`,
    );
  }
}

function objectionTo(uid: unknown): string | undefined {
  if (typeof uid !== "string") {
    return `must be a string, got ${uid === null ? "null" : typeof uid}: it comes first, then the values`;
  }
  if (uid === "") return "must not be empty";
  if (uid === "." || uid === "..") return `must not be "${uid}", which would point at another path`;
  if (/\p{Cc}/u.test(uid)) return "must hold no control character";
  if (/\p{Surrogate}/u.test(uid)) return "must be well-formed Unicode";
  return undefined;
}

/**
 * Builds the headers of a client's requests as one flat list (spec, "Authentication", rule 1; "Endpoints",
 * request headers).
 */
export function buildHeaders(
  apiKey: string | undefined,
  extra: ReadonlyMap<string, string>,
): readonly string[] {
  const flat: string[] = [];
  if (apiKey !== undefined) flat.push("authorization", `API-Key ${apiKey}`);
  flat.push("content-type", "application/json");
  for (const [name, value] of extra) flat.push(name, value);
  return flat;
}
