import { Problem } from "./problem.ts";

/**
 * Parses the URL of a request.
 *
 * Adapters for `node:http` pass on what the caller sent, and do not check it until the body is read.
 *
 * @returns `undefined` if it is malformed or contains credentials, which a `Request` cannot have
 */
export function targetOf({ url }: Request): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const target = new URL(url);
  return target.username === "" && target.password === "" ? target : undefined;
}

/** Creates the refusal for a request without a valid target or host. */
export function malformedRequest(): Problem {
  return new Problem(400, "The request line or the host header is malformed. Send a valid HTTP/1.1 request.");
}
