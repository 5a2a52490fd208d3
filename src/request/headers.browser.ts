import { ConfigurationError } from "../errors/errors.ts";
import { keyInBrowser } from "./api-key.ts";
import type { HeadersInput } from "./headers.ts";

/** Replaces `headers.ts` in browsers, where `Headers` checks the names and values. */
export function readHeaders(
  given: HeadersInput | undefined,
  mayAuthorize: boolean,
  allowsApiKey: boolean,
): Map<string, string> {
  let headers: Headers;
  try {
    const pairs =
      Symbol.iterator in Object(given)
        ? [...(given as Iterable<[string, string]>)]
        : Object.entries(given ?? {});
    headers = new Headers(
      pairs.filter((pair) => pair?.length !== 2 || pair[1] !== undefined) as [string, string][],
    );
  } catch {
    throw new ConfigurationError(
      "Expected `headers` to be an object or pairs, with valid HTTP names and values.",
    );
  }
  // Browsers ignore the other reserved headers and set them themselves.
  for (const name of ["content-type", "content-encoding"]) {
    if (headers.has(name))
      throw new ConfigurationError(`The client sets the \`${name}\` header. Remove it from \`headers\`.`);
  }
  const authorization = headers.get("authorization");
  if (authorization !== null && !mayAuthorize) {
    throw new ConfigurationError("The client sets the `authorization` header. Pass the key as `apiKey`.");
  }
  if (!allowsApiKey && /^api-key /i.test(authorization ?? "")) throw keyInBrowser();
  return new Map(headers);
}
