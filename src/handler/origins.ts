import { describeKind } from "../errors/value-kinds.ts";
import { ConfigurationError } from "../index.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { uidSegmentOf } from "../service/endpoint.ts";
import { Problem } from "../service/problem.ts";
import { targetOf } from "../service/request-target.ts";

/** How long browsers may cache a CORS preflight, in seconds: Chromium's maximum. */
const preflightAgeSeconds = 7200;

/** The response headers that pages from other origins may read, in addition to the default ones. */
const exposedHeaders = "content-disposition, retry-after, x-request-id";

/**
 * Decides which pages may call: those from the same origin and from listed origins. Callers that are not
 * browsers may call, because they do not send cookies automatically.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol and https://www.w3.org/TR/fetch-metadata/
 */
export class Origins {
  readonly #listed: ReadonlySet<string>;

  /** @param listed - other origins that may call */
  constructor(listed: readonly string[]) {
    this.#listed = new Set(listed);
  }

  /** Refuses a call from another origin that is not listed. */
  refuse(request: Request): Problem | undefined {
    if (this.#isListed(request) || isSameOrigin(request)) return undefined;
    return new Problem(
      403,
      "Pages from this origin are not allowed to call this server. Call from a page with the same origin, or add the origin to `origins`.",
      { kind: "origin-not-allowed" },
    );
  }

  /** Responds to a CORS preflight; returns `undefined` for other requests. */
  preflight(request: Request): Response | undefined {
    const { headers, method } = request;
    if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
    if (uidSegmentOf(targetOf(request)?.pathname ?? "") === undefined) return undefined;
    const refusal = this.refuse(request);
    if (refusal) return refusal.toResponse(crypto.randomUUID());
    const asked = headers.get("access-control-request-headers") ?? "";
    // An allowed origin may send any header, such as a session header.
    const allowed = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/.test(asked) ? asked : "content-type";
    const allowance = {
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": allowed,
      "access-control-max-age": String(preflightAgeSeconds),
    };
    return new Response(null, withoutPrototype({ status: 204, headers: allowance }));
  }

  /** Lets pages from listed origins read the response. */
  expose({ headers }: Response, request: Request): void {
    if (this.#listed.size === 0) return;
    headers.append("vary", "origin");
    if (!this.#isListed(request)) return;
    headers.set("access-control-allow-origin", request.headers.get("origin") ?? "");
    headers.set("access-control-allow-credentials", "true");
    headers.set("access-control-expose-headers", exposedHeaders);
  }

  #isListed({ headers }: Request): boolean {
    return this.#listed.has(headers.get("origin") ?? "");
  }
}

/**
 * Whether a call comes from a page on the same origin, or not from a page. Browsers send `Sec-Fetch-Site`,
 * which pages cannot set; over plain http, and in old browsers, they send only `Origin`. It is compared with
 * `Host`, because behind a proxy the request URL contains an internal host name.
 */
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = headers.get("origin");
  if (origin === null) return true;
  const host = headers.get("host") ?? new URL(url).host;
  // Parsed with the scheme of the page, so that default ports are omitted in both.
  const page = parse(origin);
  return page !== undefined && parse(`${page.protocol}//${host}`)?.host === page.host;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * Checks that a string is an origin as browsers send it.
 *
 * @throws {ConfigurationError} for example for `*`, a path, or a missing scheme
 */
export function checkOrigin(origin: unknown): void {
  if (typeof origin !== "string" || !isOrigin(origin)) {
    const got = typeof origin === "string" ? JSON.stringify(origin) : describeKind(origin);
    throw new ConfigurationError(
      `Expected each entry of \`origins\` to be an origin such as "https://app.example.com", without a path, got ${got}. List every origin: "*" would allow all pages.`,
    );
  }
}

function isOrigin(text: string): boolean {
  // `URL` accepts it in a host, but it would match no origin.
  if (text.includes("*")) return false;
  if (/^https?:/.test(text)) return parse(text)?.origin === text;
  // `URL` returns no origin for extensions and apps, such as "chrome-extension://…" and "capacitor://localhost".
  return /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@A-Z]+$/.test(text);
}
