import { ConfigurationError } from "../errors/errors.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { nameOfError } from "../errors/value-kinds.ts";
import { isNamedLocal, readEnvironment } from "../runtime/environment.ts";
import { type Connector, notInherited } from "./undici-7.ts";

/**
 * Returns the address of the proxy for an origin, or `undefined` if it is reached directly. It comes from `HTTP_PROXY`,
 * `HTTPS_PROXY` and `NO_PROXY`, in lower or upper case, as undici's `EnvHttpProxyAgent` reads them. That agent is not used, because
 * it proxies loopback addresses, takes no IPv6 address in `NO_PROXY` without brackets, and quotes passwords in its errors.
 *
 * @throws {ConfigurationError} if the proxy for this origin cannot be used. The message does not contain its address, which may
 * contain a password
 */
export function environmentProxy(origin: string): string | undefined {
  const { protocol, hostname, port } = new URL(origin);
  // A proxy would reach itself.
  if (isNamedLocal(hostname)) return undefined;
  const name = (protocol === "https:" && nameOfVariable("https_proxy")) || nameOfVariable("http_proxy");
  if (!name || isExempt(hostname, port || portOf(protocol))) return undefined;
  const address = readEnvironment(name) ?? "";
  checkAddress(name, address);
  return address;
}

/** Returns the name under which a variable is set and not empty. The lower-case name takes precedence, even if it is empty. */
function nameOfVariable(lowerCaseName: string): string | undefined {
  const name = readEnvironment(lowerCaseName) === undefined ? lowerCaseName.toUpperCase() : lowerCaseName;
  return readEnvironment(name) ? name : undefined;
}

function portOf(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}

/** Whether `NO_PROXY` lists a host. */
function isExempt(hostname: string, port: string): boolean {
  const list = readEnvironment(nameOfVariable("no_proxy") ?? "") ?? "";
  return list === "*" || list.split(/[,\s]/).some((entry) => entry !== "" && matches(entry, hostname, port));
}

/**
 * Whether an entry of `NO_PROXY` means a host: `example.com`, `.example.com`, `*.example.com` or an IP address, with or without a
 * port.
 */
function matches(entry: string, hostname: string, port: string): boolean {
  // An IPv6 address needs brackets only if it has a port.
  const isBare = !/[[\]]/.test(entry) && entry.split(":").length > 2;
  const place = isBare ? `[${entry}]` : entry;
  const [, host = place, onlyPort] = /^(.+):(\d+)$/.exec(place) ?? [];
  const name = canonicalHost(host.replace(/^\*?\./, "").toLowerCase());
  const isListed = hostname === name || hostname.endsWith(`.${name}`);
  return isListed && (!Number(onlyPort) || Number(onlyPort) === Number(port));
}

/** Returns an IPv6 address in brackets as `URL` spells it. The network interface after `%` cannot be part of a URL. */
function canonicalHost(host: string): string {
  if (!host.startsWith("[")) return host;
  const url = `http://${host.replace(/%[^\]]*/, "")}`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}

/** Schemes that other programs accept for proxies. Any other text before `://` may be a misplaced password. */
const otherSchemes = /^(?:socks(?:4a?|5h?)?|ftp|quic):\/\//i;

function checkAddress(name: string, address: string): void {
  if (isHttpAddress(address)) return;
  const [scheme] = otherSchemes.exec(address) ?? [];
  throw new ConfigurationError(
    `${name} ${scheme === undefined ? "is not a valid proxy address" : `has the scheme ${scheme.toLowerCase()}, which is not supported`}. Use a proxy with http:// or https://, for example http://proxy.example.com:3128, or add the service to NO_PROXY.`,
  );
}

function isHttpAddress(address: string): boolean {
  try {
    const url = new URL(address);
    authorizationOf(url);
    return /^https?:$/.test(url.protocol);
  } catch {
    return false;
  }
}

/** @throws {URIError} if the user name or the password is not percent-encoded */
function authorizationOf({ username, password }: URL): { "proxy-authorization"?: string } {
  if (!username && !password) return {};
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(userInfo).toString("base64")}` };
}

/** A failure of the proxy, not of the service behind it. The message contains the address of the proxy without credentials. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly code = "PROXY_FAILED";
  /** The response status from the proxy, if any. */
  readonly status: number | undefined;
  /** Whether the request to the proxy had a user name or a password. */
  readonly hadCredentials: boolean;
  /** What the proxy requires (`proxy-authenticate`). */
  readonly challenge: string;

  constructor(
    message: string,
    facts: { cause?: unknown } & Partial<Pick<ProxyFailure, "status" | "hadCredentials" | "challenge">> = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.hadCredentials = facts.hadCredentials ?? false;
    this.challenge = facts.challenge ?? "";
  }
}

/**
 * Returns a connector that opens tunnels through a proxy. undici's `ProxyAgent` is not used: if a proxy disconnects, it retries
 * immediately and without end, even if the call has ended (https://github.com/nodejs/undici/issues/3897), and it accepts no other
 * success than 200.
 *
 * @param connector - opens the connections to the proxy, and TLS inside of the tunnels
 */
export function throughProxy(address: string, connector: Connector): Connector {
  const proxy = new URL(address);
  const { protocol, host, port, origin } = proxy;
  // As undici passes it: an IPv6 address without brackets.
  const place = { protocol, host, port, hostname: proxy.hostname.replace(/^\[|\]$/g, "") };
  const failed = (cause: unknown) => {
    const reason = describeThrown(cause) || nameOfError(cause);
    return new ProxyFailure(`the proxy at ${origin} failed: ${reason}`, { cause });
  };
  return (target, callback) =>
    connector(place, (...opened) => {
      const [error, socket] = opened;
      if (error) return callback(failed(error), null);
      const authority = target.port ? target.host : `${target.host}:${portOf(target.protocol)}`;
      const request = process.getBuiltinModule("node:http").request({
        ...notInherited,
        method: "CONNECT",
        path: authority,
        headers: { host: authority, ...authorizationOf(proxy) },
        createConnection: () => socket,
      });
      request.on("error", (cause) => callback(failed(cause), null));
      request.on("connect", ({ statusCode: status = 0, headers }, _socket, first) => {
        // Any success opens the tunnel (RFC 9110, 9.3.6).
        if (status < 200 || status > 299) {
          socket.on("error", () => {}).destroy();
          const message = `the proxy at ${origin} responded with ${status} to CONNECT ${authority}`;
          const hadCredentials = proxy.username !== "" || proxy.password !== "";
          const challenge = headers["proxy-authenticate"]?.toString() ?? "";
          return callback(new ProxyFailure(message, { status, hadCredentials, challenge }), null);
        }
        if (first.length > 0) socket.unshift(first);
        if (target.protocol === "https:") connector({ ...target, httpSocket: socket }, callback);
        else callback(null, socket);
      });
      request.end();
    });
}
