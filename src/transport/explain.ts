import type { Explanation } from "./transport.ts";

/** A failure of the proxy, not of the service behind it. The message has the proxy's address without its credentials. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly code = "PROXY_FAILED";
  /** The status that the proxy answered, if it did. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

/** The properties of errors of Node, OpenSSL and undici that are read here. */
interface Known {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly host?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown };
}

const trust =
  "If that authority is your own, start Node with NODE_EXTRA_CA_CERTS=<its certificate, a PEM file>, or give a `dispatcher`: new Agent({ connect: { ca } }) of undici.";
const unknownAuthority = ["its certificate is of an authority that is not known here", trust] as const;
const clock = "Have it renewed by whoever runs the service, and check the clock of this machine.";
const otherPort =
  "Check the port in `baseUrl`, and whether it begins with https:// where the service speaks http://.";
const noTls = ["what answers at that port does not speak TLS", otherPort] as const;

/** By the code of the error. None of these occurs after the first byte of a request has left. */
const handshakes: { readonly [code: string]: readonly [reason: string, advice: string] } = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is signed by itself", trust],
  CERT_HAS_EXPIRED: ["its certificate has expired", clock],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", clock],
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: ["what answers at that port speaks another TLS, or none", otherPort],
};

/** The maximum depth of a chain of causes: the error of a custom `fetch` may be its own cause. */
const maxDepth = 10;

/**
 * Explains why no answer came, as far as that is known.
 *
 * @param cause - the error of the transport; its own causes are read as well
 */
export function explain(cause: unknown): Explanation | undefined {
  try {
    let error = cause;
    for (let depth = 0; depth < maxDepth && error instanceof Error; depth++) {
      const explained = explainOne(error);
      if (explained) return explained;
      error = error.cause;
    }
  } catch {
    // A custom `fetch` may reject with an object that throws when it is read.
  }
  return undefined;
}

function explainOne(error: Error & Known): Explanation | undefined {
  const { code, syscall } = error;
  if (error instanceof ProxyFailure) return byProxy(error);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return ofAnotherName(error);
  const known = typeof code === "string" && Object.hasOwn(handshakes, code) ? handshakes[code] : undefined;
  // A handshake may also fail because a server is just starting.
  if (known) return { reason: known[0], advice: known[1], isLasting: code !== "EPROTO", unsent: true };
  if (/^Client network socket disconnected before secure TLS/.test(error.message))
    return { reason: "it hung up before TLS was agreed on", advice: otherPort, unsent: true };
  if (syscall === "connect" || syscall === "getaddrinfo" || code === "UND_ERR_CONNECT_TIMEOUT")
    return { unsent: true };
  return undefined;
}

function byProxy(error: ProxyFailure): Explanation {
  const advice =
    error.status === 407
      ? "It wants a user and a password: write them into HTTP_PROXY or HTTPS_PROXY, as in http://user:password@proxy.example.com:3128, percent-encoded."
      : "Check HTTP_PROXY and HTTPS_PROXY, or name the service in NO_PROXY, if it can be reached without.";
  // A retry sends the same password.
  return { reason: error.message, advice, isLasting: error.status === 407, unsent: true };
}

function ofAnotherName({ host, cert }: Known): Explanation {
  const names = typeof cert?.subjectaltname === "string" ? cert.subjectaltname : "another host";
  return {
    reason: `its certificate is for ${names}, not for ${typeof host === "string" ? host : "this one"}`,
    advice: "Point `baseUrl` at a name that the certificate holds.",
    isLasting: true,
    unsent: true,
  };
}
