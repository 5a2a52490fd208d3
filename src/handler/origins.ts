import { describeKind } from "../errors/value-kinds.ts";
import { ConfigurationError } from "../index.ts";
import { uidSegmentOf } from "../service/endpoint.ts";
import { Problem } from "../service/problem.ts";

/** How long a browser may remember that a page may call, in seconds: the most that Chromium keeps. */
const preflightAgeSeconds = 7200;

/** What a page of another origin may read of an answer, beside its body and the headers that every page may read. */
const exposedHeaders = "content-disposition, retry-after, x-request-id";

/**
 * Whose pages may call. Pages of the same origin may, and those of the origins listed; so may whatever is no page, because it
 * carries nobody's cookies unless it was given them.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol and https://www.w3.org/TR/fetch-metadata/
 */
export class Origins {
  readonly #listed: ReadonlySet<string>;

  /** @param listed - other origins whose pages may call */
  constructor(listed: readonly string[]) {
    this.#listed = new Set(listed);
  }

  /** Refuses a call from a page that may not call. */
  refuse(request: Request): Problem | undefined {
    if (this.#isListed(request) || isSameOrigin(request)) return undefined;
    return new Problem(
      403,
      "Pages of this origin may not call here. Call from a page of the server itself, or let whoever runs it list the origin.",
      { kind: "origin-not-allowed" },
    );
  }

  /** Answers the question that a browser asks before a page of another origin may call; `undefined` where it is none. */
  preflight(request: Request): Response | undefined {
    const { headers, method, url } = request;
    if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
    if (uidSegmentOf(new URL(url).pathname) === undefined) return undefined;
    const refusal = this.refuse(request);
    if (refusal) return refusal.toResponse(crypto.randomUUID());
    const asked = headers.get("access-control-request-headers") ?? "";
    // An origin that may call is trusted with any header: with its session, above all.
    const allowed = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/.test(asked) ? asked : "content-type";
    return new Response(null, {
      status: 204,
      headers: {
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": allowed,
        "access-control-max-age": String(preflightAgeSeconds),
      },
    });
  }

  /** Lets the page that called read the answer, where it is of an origin on the list. */
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
 * Whether a call comes from a page of this very server, or from no page at all. A browser tells by `Sec-Fetch-Site`, which no
 * page can set; over plain http, and in old browsers, only by `Origin`. That is compared with `Host`, because behind a
 * proxy the URL of the request holds the name of a host inside.
 */
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = headers.get("origin");
  if (origin === null) return true;
  const host = headers.get("host") ?? new URL(url).host;
  // Parsed with the scheme of the page, so that a default port is left out of both.
  const page = parse(origin);
  return page !== undefined && parse(`${page.protocol}//${host}`)?.host === page.host;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * Checks that a text is an origin as browsers send it.
 *
 * @throws {ConfigurationError} for `*`, a path, a missing scheme and the like
 */
export function checkOrigin(origin: unknown): void {
  if (typeof origin !== "string" || !isOrigin(origin)) {
    const got = typeof origin === "string" ? JSON.stringify(origin) : describeKind(origin);
    throw new ConfigurationError(
      `Expected each of \`origins\` to be an origin such as "https://app.example.com", without a path, got ${got}. Name every one by itself: "*" would let any page call.`,
    );
  }
}

function isOrigin(text: string): boolean {
  // `URL` takes it in a host; but it would match no origin at all.
  if (text.includes("*")) return false;
  if (/^https?:/.test(text)) return parse(text)?.origin === text;
  // Of extensions and apps, such as "chrome-extension://…" and "capacitor://localhost", `URL` knows none.
  return /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@A-Z]+$/.test(text);
}
