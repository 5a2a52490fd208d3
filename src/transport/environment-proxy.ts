import { ConfigurationError } from "../errors/errors.ts";
import { isNamedLocal, readEnvironment } from "../runtime/environment.ts";

/**
 * Returns the address of the proxy for an origin, or `undefined` if it is reached directly. It comes from `HTTP_PROXY`,
 * `HTTPS_PROXY` and `NO_PROXY`, in lower or upper case, as undici's `EnvHttpProxyAgent` reads them. Loopback addresses and
 * `localhost` names are never proxied, because a proxy would reach itself.
 *
 * @throws {ConfigurationError} if the proxy for this origin cannot be used. The message does not contain its address, which may
 * contain a password
 */
export function environmentProxy(origin: string): string | undefined {
  const { protocol, hostname, port } = new URL(origin);
  if (isNamedLocal(hostname)) return undefined;
  const name = (protocol === "https:" && nameOfVariable("https_proxy")) || nameOfVariable("http_proxy");
  if (!name) return undefined;
  const usedPort = Number(port) || (protocol === "https:" ? 443 : 80);
  if (isExempt(hostname, usedPort)) return undefined;
  const address = readEnvironment(name) ?? "";
  checkAddress(name, address);
  return address;
}

/** Returns the name under which a variable is set and not empty. The lower-case name takes precedence, even if it is empty. */
function nameOfVariable(lowerCaseName: string): string | undefined {
  const name = readEnvironment(lowerCaseName) === undefined ? lowerCaseName.toUpperCase() : lowerCaseName;
  return readEnvironment(name) ? name : undefined;
}

/** Whether `NO_PROXY` lists a host, as `example.com`, `.example.com` or `*.example.com`, with or without a port. */
function isExempt(hostname: string, port: number): boolean {
  const list = readEnvironment(nameOfVariable("no_proxy") ?? "") ?? "";
  if (list === "*") return true;
  return list.split(/[,\s]/).some((entry) => {
    const [, host = entry, onlyPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const name = host.replace(/^\*?\./, "").toLowerCase();
    const isListed = entry !== "" && (hostname === name || hostname.endsWith(`.${name}`));
    return isListed && (!Number(onlyPort) || Number(onlyPort) === port);
  });
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
    const { protocol, username, password } = new URL(address);
    // Undici decodes both.
    decodeURIComponent(username + password);
    return protocol === "http:" || protocol === "https:";
  } catch {
    return false;
  }
}
