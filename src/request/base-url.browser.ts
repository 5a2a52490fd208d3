import { ConfigurationError } from "../errors/errors.ts";
import { pageAddress } from "../runtime/environment.ts";

/** Replaces `base-url.ts` in browsers, where there always is a page, and there are no environment variables. */
export function lacksPage(): boolean {
  return false;
}

export function checkPage(): void {}

/** Parses the base URL as `fetch` would. @throws {ConfigurationError} if the URL is missing or unusable */
export function parseBaseUrl(baseUrl: string | URL | undefined): URL {
  try {
    if (baseUrl) {
      const { origin, pathname, href, protocol } = new URL(baseUrl, pageAddress());
      const isEndpoint = /\/api\/v1\/templates|\/generate-sync/.test(pathname);
      if (/^https?:$/.test(protocol) && href === origin + pathname && !isEndpoint) return new URL(href);
    }
  } catch {
    // The error is thrown below.
  }
  throw new ConfigurationError(
    "Expected `baseUrl` to be an http(s) URL without credentials, query, fragment or endpoint path.",
  );
}
