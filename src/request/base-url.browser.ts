import { ConfigurationError } from "../errors/errors.ts";
import { pageAddress } from "../runtime/environment.ts";

/** What browsers load in place of `base-url.ts`: there is a page, and no environment. */
export function lacksPage(): boolean {
  return false;
}

/** Parses the base URL as `fetch` would. @throws {ConfigurationError} if it is missing or unusable */
export function parseBaseUrl(baseUrl: string | URL | undefined): URL {
  try {
    if (baseUrl) {
      const { origin, pathname, href, protocol } = new URL(baseUrl, pageAddress());
      const isEndpoint = /\/api\/v1\/templates|\/generate-sync/.test(pathname);
      if (/^https?:$/.test(protocol) && href === origin + pathname && !isEndpoint) return new URL(href);
    }
  } catch {
    // The error below says what is expected.
  }
  throw new ConfigurationError(
    "Expected `baseUrl` to be an address of http(s) without credentials, query, fragment and the path of the endpoint, such as /api/pdf or https://pdf.example.com.",
  );
}
