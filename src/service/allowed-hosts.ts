import { isLoopback, isNamedLocal } from "../runtime/environment.ts";
import { Problem } from "./problem.ts";
import { malformedRequest, targetOf } from "./request-target.ts";

/** The address of a server. */
export interface Bound {
  /** The URL for callers on this machine, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** The configured host. */
  readonly host: string;
  /** The address of this host. */
  readonly address: string;
}

/** The value of a `host` header: a name or an address, and a port. */
const hostAndPort = /^(\[[\da-f:.]+\]|[^\s\p{Cc}/?#@:\\[\],*%]+)(?::\d*)?$/iu;

/**
 * The host names that a server accepts.
 *
 * Any web page can reach this server if its own host name resolves to 127.0.0.1 (DNS rebinding). The browser still sends the
 * page's host name in the `host` header, which reveals such a call.
 */
export class AllowedHosts {
  readonly #baseUrl: string;
  /** `undefined` if any name is accepted. */
  readonly #names: ReadonlySet<string> | undefined;

  /**
   * @param bound - the address of the server
   * @param allowedHosts - additional names; `"any"` accepts all. Default: none on a loopback address, and any
   * on an address that other machines can reach
   */
  constructor({ baseUrl, host, address }: Bound, allowedHosts: readonly string[] | "any" | undefined) {
    this.#baseUrl = baseUrl;
    const isOpen = allowedHosts === "any" || (allowedHosts === undefined && !isLoopbackHost(address));
    const names = isOpen ? [] : [host, ...(allowedHosts ?? [])];
    this.#names = isOpen ? undefined : new Set(names.map((name) => hostnameOf(inBrackets(name)) ?? name));
  }

  /**
   * Refuses a request for another host.
   *
   * @param request - the request. Its `host` header and its target are checked, but not its body
   * @param localAddress - the address of this machine at which the request arrived
   * @returns 400 if the header is missing, sent twice or malformed, or the target is malformed; 421 if one of them names another host
   * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2 and https://www.rfc-editor.org/rfc/rfc9110#section-7.4
   */
  refuseHost(request: Request, localAddress: string | undefined): Problem | undefined {
    const named = hostnameOf(request.headers.get("host") ?? "");
    // A target in absolute form replaces the header. Pages cannot send either of them.
    const targeted = hostnameOf(targetOf(request)?.host ?? "");
    if (named === undefined || targeted === undefined) return malformedRequest();
    const foreign = [named, targeted].find((name) => !this.#isAllowed(name, localAddress));
    if (foreign === undefined) return undefined;
    return new Problem(
      421,
      `This server does not accept the host name ${JSON.stringify(foreign)}. Use ${this.#baseUrl}, or allow the name with the \`allowedHosts\` option or the --allow-host flag.`,
      { kind: "host-not-allowed" },
    );
  }

  #isAllowed(name: string, localAddress: string | undefined): boolean {
    if (this.#names === undefined) return true;
    return isNamedLocal(name) || this.#names.has(name) || name === literalOf(localAddress);
  }
}

/** Whether only this machine can reach a host. An IPv6 address needs no brackets. */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(inBrackets(host));
}

/** Whether a string is a host name or an IP address, without a scheme, a port or a path. IPv6 needs no brackets. */
export function isHostName(text: string): boolean {
  const host = inBrackets(text);
  return hostAndPort.exec(host)?.[1] === host && hostnameOf(host) !== undefined;
}

/** Reads the host name of `name:port` as `URL.hostname` writes it; `undefined` if it is malformed. */
function hostnameOf(text: string): string | undefined {
  const url = `http://${text}`;
  if (!hostAndPort.test(text) || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** Formats the address of a socket for a URL. Converts IPv4-mapped IPv6 addresses to IPv4. */
function literalOf(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  return hostnameOf(inBrackets(address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address));
}

function inBrackets(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
