/**
 * What may answer, or fail, instead of the service, and what to do about it. The specification lists no statuses, so they have the
 * meaning that HTTP defines. Browsers do not load this file.
 */
import { parseUrl } from "../runtime/environment.ts";
import { inSeconds } from "./retry-after.ts";

/** Explains what to do after a response that is not a document. */
export interface ResponseAdvice {
  /**
   * Returns one or two sentences.
   *
   * @param text - the body of the response, or its beginning
   * @param detail - the response message, redacted
   * @param waitMs - the delay that the response requests
   */
  response(
    response: RefusingResponse,
    request: RefusedRequest,
    text: string,
    detail?: string | undefined,
    waitMs?: number | undefined,
  ): string;
}

interface RefusingResponse {
  readonly status: number;
  readonly opaqueRedirect: boolean;
  header(name: string): string | undefined;
}

interface RefusedRequest {
  readonly origin: string;
  readonly path: string;
  readonly basePath: string;
  readonly headers: readonly string[];
  readonly redactor: { quote(text: string, maxLength: number): string };
}

/** A response, and what is known about it. */
class Answer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  readonly #response: RefusingResponse;
  readonly #request: RefusedRequest;
  readonly #detail: string | undefined;
  readonly #waitMs: number;

  constructor(...[response, request, text, detail, waitMs = 0]: Parameters<ResponseAdvice["response"]>) {
    this.status = response.status;
    this.text = text.slice(0, 4096);
    this.#response = response;
    this.#request = request;
    this.#detail = detail;
    this.#waitMs = waitMs;
  }

  is(...statuses: readonly number[]): boolean {
    return statuses.includes(this.status);
  }

  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get isRedirect(): boolean {
    return this.#response.opaqueRedirect || (this.status >= 300 && this.status < 400);
  }

  /** Whether the request was not encrypted. */
  get isPlain(): boolean {
    return this.#request.origin.startsWith("http:");
  }

  get hasKey(): boolean {
    return this.#request.headers.some((text) => text.startsWith("API-Key "));
  }

  /** Whether the request had an `authorization` header of the caller. */
  get hasOwnAuthorization(): boolean {
    const { headers } = this.#request;
    return !this.hasKey && headers.some((name, at) => at % 2 === 0 && name === "authorization");
  }

  /** Whether the body is HTML, XML or a text of a well-known proxy. A service of this kind responds with JSON. */
  get isPage(): boolean {
    if (this.#detail !== undefined || this.text === "") return false;
    const type = this.#response.header("content-type") ?? "";
    return /^\s*</.test(this.text) || /\bhtml\b/i.test(type) || proxyText.test(this.text);
  }

  /** The authentication that the response requires, if it is not the one of the service (spec, "Authentication", rule 1). */
  get otherAuthentication(): string | undefined {
    const challenge = this.#response.header("www-authenticate") ?? "";
    const [scheme] = /^[\w-]{1,200}/.exec(challenge) ?? [];
    if (scheme === undefined || /\bapi-?key\b/i.test(challenge)) return undefined;
    const [, realm] = /\brealm="?([^",]{1,100})/i.exec(challenge) ?? [];
    return `${this.#request.redactor.quote(scheme, 60)} authentication${realm === undefined ? "" : ` (${this.#quote(realm)})`}`;
  }

  /** Where the service seems to be, if the response redirects to the endpoint under another base URL. */
  get otherBaseUrl(): string | undefined {
    const { origin, path, basePath } = this.#request;
    const location = this.#response.header("location") ?? "";
    const target = parseUrl(location, origin + path);
    if (!target) return undefined;
    const { protocol, origin: newOrigin, pathname } = target;
    const ownPath = path.slice(basePath.length === 1 ? 0 : basePath.length);
    const isDowngrade = protocol !== "https:" && !this.isPlain;
    if (!/^https?:$/.test(protocol) || isDowngrade || !pathname.endsWith(ownPath)) return undefined;
    const baseUrl = newOrigin + pathname.slice(0, -ownPath.length);
    return baseUrl === origin + basePath.replace(/^\/$/, "") ? undefined : this.#quote(baseUrl);
  }

  /** The target of a redirect. The query may contain sent values. */
  get location(): string | undefined {
    const location = this.#response.header("location")?.replace(/[?#].*|(?<=\/\/)[^/@]*@/gs, "");
    return location ? this.#quote(location) : undefined;
  }

  /** The program that seems to have answered. */
  get server(): string {
    const { redactor } = this.#request;
    const [server, via] = ["server", "via"].map((name) => this.#response.header(name));
    const name = server ? redactor.quote(server, 60) : "another server";
    return via ? `${name} (via ${redactor.quote(via, 60)})` : name;
  }

  /** The body, as the subject of a sentence: with its title or its text. */
  get page(): string {
    if (!/^\s*</.test(this.text)) return this.#quote(this.text, 80);
    const [, title] = /<(?:title|h1|message)\b[^<>]{0,200}>([^<]{1,200})/i.exec(this.text) ?? [];
    return title?.trim() ? `the page ${this.#quote(title)}` : "a page";
  }

  /** The slash or backslash of the uid in the path, which some servers refuse. */
  get escapedSlash(): string | undefined {
    return /%(?:2F|5C)/.exec(this.#request.path)?.[0];
  }

  /** Advice on the path: another server has no such endpoint. */
  get wherePathIs(): string {
    // Without a JSON message, the sender is probably not the service.
    const what = this.status !== 404 || this.#detail === undefined ? "`baseUrl`" : "the uid and `baseUrl`";
    const added = this.#detail?.includes("/api/v1") ? "" : " (the client adds /api/v1)";
    const refused = this.escapedSlash;
    const slash = refused ? `, and whether the server allows ${refused} in paths, which the uid needs` : "";
    return `check ${what}, whose path is ${JSON.stringify(this.#request.basePath)}${added}${slash}`;
  }

  /** The delay that the response requests, for example ` in 7 s`. */
  get delay(): string | undefined {
    return this.#waitMs > 0 ? ` in ${inSeconds(this.#waitMs)}` : undefined;
  }

  /** Quotes a text on one line. */
  #quote(text: string, maxLength = 300): string {
    return JSON.stringify(this.#request.redactor.quote(text.trim().replace(/\s+/g, " "), maxLength));
  }
}

/** Error texts of Cloudflare, Envoy, Traefik, Go and Kubernetes. */
const proxyText =
  /^\s*(?:error code: \d|RBAC: |no healthy upstream|upstream (?:connect|request)|404 page not found|default backend)/;

/** What nginx, Apache, Go and Tomcat respond to http:// on a port for https://. */
const plainOnTls = /plain HTTP\b.{1,40}\b(?:HTTPS|SSL)|HTTP request to an HTTPS server|port requires TLS/;

interface Situation {
  readonly is: (answer: Answer) => boolean;
  /** Returns one or two sentences. */
  readonly advice: (answer: Answer) => string;
}

/** The first situation that applies gives the advice. */
const situations: readonly Situation[] = [
  {
    is: (answer) => answer.isRedirect,
    advice: ({ otherBaseUrl, location }) =>
      otherBaseUrl
        ? `Redirects are not followed: the service seems to have moved. Set \`baseUrl\` to ${otherBaseUrl}.`
        : `Redirects are not followed: point \`baseUrl\` at the service itself${location ? `, not at ${location}` : ""}.`,
  },
  {
    is: ({ isPlain, text }) => isPlain && plainOnTls.test(text),
    advice: () => "This port uses TLS: begin `baseUrl` with https://.",
  },
  {
    is: ({ text }) => /No required SSL certificate|SSL certificate error/.test(text),
    advice: ({ server }) =>
      `${capitalized(server)} requires a client certificate: pass undici's new Agent({ connect: { cert, key } }) as \`dispatcher\`.`,
  },
  {
    is: (answer) => answer.is(407),
    advice: () =>
      "A proxy requires a user name and a password: pass them to the agent that you use as `dispatcher` or in `fetch`.",
  },
  {
    is: (answer) => answer.is(511),
    advice: () => "The network requires a sign-in: open any web page on this machine, and sign in.",
  },
  {
    is: (answer) => answer.is(401) && answer.otherAuthentication !== undefined && answer.hasOwnAuthorization,
    advice: ({ server, otherAuthentication }) =>
      `${capitalized(server)} requires ${otherAuthentication}: check the \`authorization\` in \`headers\`.`,
  },
  {
    is: (answer) => answer.is(401) && answer.otherAuthentication !== undefined,
    advice: ({ server, otherAuthentication }) =>
      `${capitalized(server)} requires ${otherAuthentication}, not an API key: ${onTheWay}.`,
  },
  {
    is: ({ isSuccess, text }) => isSuccess && text === "",
    advice: () => "Check `baseUrl`, and whether the service or a proxy drops the body.",
  },
  {
    is: (answer) => answer.isPage,
    advice: (answer) =>
      `This seems to be ${answer.page} of ${answer.server}, not a response of the service: ${remedyOf(answer) ?? onTheWay}.`,
  },
  {
    is: (answer) => answer.isSuccess,
    advice: () => "Check that `baseUrl` points to the service, not to a login page or a proxy.",
  },
  {
    is: (answer) => answer.is(400, 422),
    advice: () => "Compare the values with the template's placeholders.",
  },
  {
    is: (answer) => answer.is(401) && !answer.hasKey,
    advice: () => "No API key was sent: the server at `baseUrl` may require a session.",
  },
  {
    is: (answer) => answer.is(401),
    advice: () => "Check the API key: the dashboard shows it under Settings » API keys.",
  },
  {
    is: (answer) => answer.is(403) && answer.hasKey,
    advice: () => "Check which account the API key belongs to.",
  },
  {
    is: () => true,
    advice: (answer) => `${capitalized(remedyOf(answer) ?? "the full response is in `body`")}.`,
  },
];

const onTheWay = "check `baseUrl`, and any proxy or firewall on the way";

/** Returns what to do after a status that any server may send, as a clause. */
function remedyOf(answer: Answer): string | undefined {
  const { delay, status, wherePathIs } = answer;
  // Another server answered: 405, 501 and 505 mean that it has no such endpoint, so it will not help to try later.
  if (answer.is(404, 405, 501, 505)) return wherePathIs;
  // Tomcat refuses escaped slashes.
  if (answer.is(400) && answer.escapedSlash) return wherePathIs;
  if (answer.is(413)) return "send less data: the service or a proxy limits the request size";
  if (answer.is(429))
    return delay ? `try again${delay}, or send fewer requests at a time` : "send fewer requests at a time";
  return status >= 500 || delay ? `try again${delay ?? " later"}` : undefined;
}

function capitalized(clause: string): string {
  return clause.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase());
}

/** Returns the advice of the first situation that applies. */
export const adviceOnResponse: ResponseAdvice["response"] = (...facts) => {
  const answer = new Answer(...facts);
  return situations.find(({ is }) => is(answer))?.advice(answer) ?? "";
};
