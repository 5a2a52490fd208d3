import { causesOf } from "../errors/foreign-values.ts";
import { isNamedLocal } from "../runtime/environment.ts";
import { ProxyFailure } from "./proxies.ts";
import type { Explanation } from "./transport.ts";

/** The properties of errors from Node, OpenSSL and undici. */
interface Known {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly host?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown };
  /** Where a connection failed: an address, or a name that was not found. */
  readonly port?: unknown;
  readonly hostname?: unknown;
  /** OpenSSL's reason, without the file and the line of its source. */
  readonly reason?: unknown;
  /** The failures of each address of a name. */
  readonly errors?: unknown;
}

/** How to trust a certificate authority with this version of Node. */
const trust = () => {
  // Node 22.15 and 23.8 or later.
  const system = process.allowedNodeEnvironmentFlags?.has("--use-system-ca")
    ? "--use-system-ca if this machine trusts it, or with "
    : "";
  return `If you use your own certificate authority, start Node with ${system}NODE_EXTRA_CA_CERTS=<its PEM file>, or pass undici's new Agent({ connect: { ca } }) as \`dispatcher\`.`;
};
const unknownAuthority = ["its certificate was issued by an unknown authority", trust] as const;
const clock =
  "Ask the operator of the service to renew the certificate, and check the clock of this machine.";
const otherPort = "Check the port in `baseUrl`, and whether the service uses http:// instead of https://.";
const maybeTls = "Check `baseUrl` and the network. If this port uses TLS, begin `baseUrl` with https://.";
const noTls = ["the server on that port does not use TLS", otherPort] as const;

/** Keyed by error code. These errors occur only before the first byte of a request is sent. */
const handshakes: { readonly [code: string]: readonly [reason: string, advice: string | (() => string)] } = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is self-signed", trust],
  CERT_HAS_EXPIRED: ["its certificate has expired", clock],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", clock],
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: ["the server on that port uses a different TLS version or no TLS", otherPort],
};

/** OpenSSL's codes for certificates that it does not accept. */
const anyCertificate =
  /^(?:CERT_\w+|CRL_\w+|INVALID_(?:CA|PURPOSE)|UNABLE_TO_\w+|(?:EE|CA)_(?:KEY|MD)_TOO_(?:SMALL|WEAK)|ERR_SSL_(?:EE|CA)_\w+|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

/** The server ends the handshake because it requires a certificate. With TLS 1.3, this is after the request was sent. */
const certificateRequired =
  /^ERR_SSL_(?:TLSV13_ALERT_CERTIFICATE_REQUIRED|(?:SSL|TLS)V\w+_ALERT_(?:BAD|NO)_CERTIFICATE)$/;

const notListening =
  "Is the emulator (npx template-pdf emulate) or your server running on this port? If so, check `baseUrl`.";

/**
 * Explains why there was no response, or no more of it, as far as that is known.
 *
 * @param cause - the transport's error, with its causes
 * @param origin - the address of the request
 */
export function explain(cause: unknown, origin: string): Explanation | undefined {
  try {
    for (const error of causesOf(cause)) {
      const explained = error instanceof Error ? explainOne(error, origin) : undefined;
      if (explained) return explained;
    }
  } catch {
    // A custom `fetch` may reject with an object that throws when it is read.
  }
  return undefined;
}

function explainOne(error: Error & Known, origin: string): Explanation | undefined {
  const { code, syscall } = error;
  if (error instanceof ProxyFailure) return byProxy(error);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return ofAnotherName(error);
  const known = typeof code === "string" && Object.hasOwn(handshakes, code) ? handshakes[code] : undefined;
  // A handshake may also fail because a server is just starting.
  if (known)
    return {
      reason: known[0],
      advice: typeof known[1] === "string" ? known[1] : known[1](),
      isLasting: code !== "EPROTO",
      isUnsent: true,
    };
  if (typeof code === "string" && anyCertificate.test(code))
    return {
      reason: `its certificate was rejected: ${code}`,
      advice: trust(),
      isLasting: true,
      isUnsent: true,
    };
  if (typeof code === "string" && code.startsWith("ERR_SSL_")) return byTls(error, code);
  if (/^Client network socket disconnected before secure TLS/.test(error.message))
    return { reason: "it disconnected during the TLS handshake", advice: otherPort, isUnsent: true };
  // A port for https:// responds to http:// with the bytes of a TLS alert, or closes the connection.
  if (
    code === "HPE_INVALID_CONSTANT" ||
    /^Response does not match the HTTP\/1\.1 protocol/.test(error.message)
  )
    return { reason: "the response is not HTTP", advice: maybeTls, isUnsent: false };
  if (code === "UND_ERR_SOCKET" && error.message === "other side closed" && origin.startsWith("http:"))
    return { advice: maybeTls, isUnsent: false };
  const [, tunnelStatus] =
    /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/.exec(error.message) ?? [];
  if (tunnelStatus) return byOtherProxy(Number(tunnelStatus));
  // The errors from zlib and brotli, except Z_BUF_ERROR, which means that the end is missing.
  if (typeof code === "string" && /^(?:Z_DATA_ERROR$|ERR__ERROR_FORMAT_)/.test(code))
    return { isUndecodable: true, isUnsent: false };
  const elsewhere = placeElsewhere(error, origin);
  if (elsewhere !== undefined)
    return {
      advice: `${elsewhere} is not in \`baseUrl\`: check the proxy of your \`dispatcher\`, your \`fetch\` or the environment.`,
      isUnsent: true,
    };
  // For a name with several addresses, the error has no `syscall`.
  if (code === "ECONNREFUSED")
    return { ...(isOnThisMachine(origin) && { advice: notListening }), isUnsent: true };
  if (syscall === "connect" || syscall === "getaddrinfo" || code === "UND_ERR_CONNECT_TIMEOUT")
    return { isUnsent: true };
  return undefined;
}

function isOnThisMachine(origin: string): boolean {
  return isNamedLocal(new URL(origin).hostname);
}

/** Where a connection failed, if it was not opened to the origin: probably to a proxy. */
function placeElsewhere(error: Known, origin: string): string | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const [first] = Array.isArray(error.errors) ? (error.errors as readonly Known[]) : [];
  const { syscall, port: failedPort, hostname: failedName } = first ?? error;
  const ownPort = Number(port) || (protocol === "https:" ? 443 : 80);
  if (syscall === "connect" && typeof failedPort === "number" && failedPort !== ownPort)
    return `Port ${failedPort}`;
  const isOther = syscall === "getaddrinfo" && typeof failedName === "string" && failedName !== hostname;
  return isOther ? `The host ${failedName.slice(0, 253)}` : undefined;
}

function byTls({ reason }: Known, code: string): Explanation {
  // Other code may throw an error with the same code, and anything in its other properties.
  const text = typeof reason === "string" && /^[\w ,.:-]{1,100}$/.test(reason) ? reason : code;
  if (!certificateRequired.test(code))
    return { reason: `TLS failed: ${text}`, advice: otherPort, isUnsent: false };
  return {
    reason: "it requires a client certificate",
    advice: "Pass undici's new Agent({ connect: { cert, key } }) as `dispatcher`.",
    isLasting: true,
    isUnsent: !code.includes("TLSV13"),
  };
}

const unneeded = "or add the service to NO_PROXY if it needs no proxy";
const userInfo = "percent-encoded: http://user:password@proxy.example.com:3128";

/** What to do after a failure of a proxy from the environment. The first row that applies gives the advice. */
const proxyFailures: readonly (readonly [is: (failure: ProxyFailure) => boolean, advice: string])[] = [
  [({ status }) => status === undefined, `Check HTTP_PROXY and HTTPS_PROXY, ${unneeded}`],
  [
    ({ status, challenge }) => status === 407 && challenge !== "" && !/\bbasic\b/i.test(challenge),
    `The proxy does not support Basic authentication, and the client supports no other. Use another proxy, ${unneeded}`,
  ],
  [
    ({ status, hadCredentials }) => status === 407 && hadCredentials,
    `The proxy rejects the user name or the password in HTTP_PROXY or HTTPS_PROXY. Check them; they must be ${userInfo}`,
  ],
  [
    ({ status }) => status === 407,
    `The proxy requires a user name and a password. Add them to HTTP_PROXY or HTTPS_PROXY, ${userInfo}`,
  ],
  [
    ({ status }) => [401, 403, 451].includes(status ?? 0),
    `The proxy does not allow connections to this host and port. Ask its operator to allow them, ${unneeded}`,
  ],
  [
    ({ status = 0 }) => status >= 500,
    `The proxy could not reach the service. Check \`baseUrl\` and the network of the proxy, ${unneeded}`,
  ],
  [() => true, `The address in HTTP_PROXY or HTTPS_PROXY may not be a proxy. Check it, ${unneeded}`],
];

function byProxy(failure: ProxyFailure): Explanation {
  const { message: reason, status = 0 } = failure;
  const [, advice] = proxyFailures.find(([is]) => is(failure)) ?? [];
  return { reason, advice: `${advice}.`, isLasting: isLastingStatus(status), isUnsent: true };
}

/** Whether a proxy would refuse another attempt for the same reason. */
function isLastingStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** The failure of a proxy of undici's `ProxyAgent`, which tells only the status. */
function byOtherProxy(status: number): Explanation {
  const reason = `the proxy of your \`dispatcher\` responded with ${status} to CONNECT`;
  const advice =
    status === 407
      ? "Check the user name and the password in the address of the proxy."
      : status >= 500
        ? "Check `baseUrl`, and whether the proxy can reach the service."
        : "Ask the operator of the proxy to allow connections to this host and port.";
  return { reason, advice, isLasting: isLastingStatus(status), isUnsent: true };
}

function ofAnotherName({ host, cert }: Known): Explanation {
  const names = typeof cert?.subjectaltname === "string" ? cert.subjectaltname : "another host";
  return {
    reason: `its certificate is for ${names}, not for ${typeof host === "string" ? host : "this one"}`,
    advice: "Use a host name in `baseUrl` that the certificate covers.",
    isLasting: true,
    isUnsent: true,
  };
}
