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
}

const trust =
  "If you use your own certificate authority, start Node with NODE_EXTRA_CA_CERTS=<its PEM file>, or pass undici's new Agent({ connect: { ca } }) as `dispatcher`.";
const unknownAuthority = ["its certificate was issued by an unknown authority", trust] as const;
const clock =
  "Ask the operator of the service to renew the certificate, and check the clock of this machine.";
const otherPort = "Check the port in `baseUrl`, and whether the service uses http:// instead of https://.";
const noTls = ["the server on that port does not use TLS", otherPort] as const;

/** Keyed by error code. These errors occur only before the first byte of a request is sent. */
const handshakes: { readonly [code: string]: readonly [reason: string, advice: string] } = {
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
  if (known) return { reason: known[0], advice: known[1], isLasting: code !== "EPROTO", isUnsent: true };
  if (/^Client network socket disconnected before secure TLS/.test(error.message))
    return { reason: "it disconnected during the TLS handshake", advice: otherPort, isUnsent: true };
  // The errors from zlib and brotli, except Z_BUF_ERROR, which means that the end is missing.
  if (typeof code === "string" && /^(?:Z_DATA_ERROR$|ERR__ERROR_FORMAT_)/.test(code))
    return { isUndecodable: true, isUnsent: false };
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

function byProxy(error: ProxyFailure): Explanation {
  const advice =
    error.status === 407
      ? "The proxy requires a user name and a password. Add them to HTTP_PROXY or HTTPS_PROXY, percent-encoded: http://user:password@proxy.example.com:3128."
      : "Check HTTP_PROXY and HTTPS_PROXY, or add the service to NO_PROXY if it needs no proxy.";
  // A retry would send the same password.
  return { reason: error.message, advice, isLasting: error.status === 407, isUnsent: true };
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
