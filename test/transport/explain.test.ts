import { describe, expect, it, vi } from "vitest";
import { explain } from "../../src/transport/explain.ts";
import { ProxyFailure } from "../../src/transport/proxies.ts";

/** An error as Node, OpenSSL and undici throw it. */
function failure(properties: object, message = "boom"): Error {
  return Object.assign(new Error(message), properties);
}

function inCauses(depth: number, error: unknown): unknown {
  return depth === 0 ? error : new Error("outer", { cause: inCauses(depth - 1, error) });
}

const origin = "https://pdf.test";
const refused = failure({ syscall: "connect" });
const hungUp = "Client network socket disconnected before secure TLS connection was established";
const coded = (code: string, rest: object = {}) => failure({ code, ...rest });
const foreign = (rest?: object) => coded("ERR_TLS_CERT_ALTNAME_INVALID", rest);
const named = foreign({ host: "a.test", cert: { subjectaltname: "DNS:b.test" } });
const unnamed = foreign({ host: 1, cert: { subjectaltname: 2 } });
const byProxy = (status: number) => new ProxyFailure("it failed", { status });
const unreadable = Object.defineProperty(new Error("boom"), "code", {
  get() {
    throw new Error("unreadable");
  },
});

it("a ProxyFailure has a name, a code, a status and an optional cause", () => {
  const cause = new Error("inner");
  const error = new ProxyFailure("failed", { status: 502, cause });
  expect(error).toMatchObject({ name: "ProxyFailure", code: "PROXY_FAILED", status: 502, cause });
  expect(new ProxyFailure("failed")).not.toHaveProperty("cause");
});

describe("the explanation of a failure", () => {
  it.each<
    [
      what: string,
      row: {
        readonly cause: Error;
        readonly reason: string;
        readonly advice: string;
        readonly isLasting?: boolean;
      },
    ]
  >([
    [
      "an expired certificate",
      { cause: coded("CERT_HAS_EXPIRED"), reason: "has expired", advice: "check the clock", isLasting: true },
    ],
    [
      "a self-signed certificate",
      {
        cause: coded("DEPTH_ZERO_SELF_SIGNED_CERT"),
        reason: "is self-signed",
        advice: "_CERTS=",
        isLasting: true,
      },
    ],
    // A server that is starting may respond this way.
    [
      "a non-TLS server",
      {
        cause: coded("EPROTO"),
        reason: "a different TLS version or no TLS",
        advice: "service uses http://",
        isLasting: false,
      },
    ],
    [
      "an interrupted TLS handshake",
      { cause: failure({}, hungUp), reason: "disconnected during the TLS", advice: "Check the port" },
    ],
    [
      "a certificate for another host",
      {
        cause: named,
        reason: "is for DNS:b.test, not for a.test",
        advice: "Use a host name",
        isLasting: true,
      },
    ],
    [
      "a malformed certificate",
      {
        cause: unnamed,
        reason: "is for another host, not for this one",
        advice: "Use a host name",
        isLasting: true,
      },
    ],
    [
      "an unknown certificate",
      {
        cause: foreign(),
        reason: "is for another host, not for this one",
        advice: "Use a host name",
        isLasting: true,
      },
    ],
    [
      "a certificate that is rejected for another reason",
      {
        cause: failure({ code: "CERT_REVOKED" }, "a secret"),
        reason: "its certificate was rejected: CERT_REVOKED",
        advice: "NODE_EXTRA_CA_CERTS=",
        isLasting: true,
      },
    ],
    [
      "a server that requires a client certificate",
      {
        cause: coded("ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE", { reason: "sslv3 alert bad certificate" }),
        reason: "it requires a client certificate",
        advice: "new Agent({ connect: { cert, key } })",
        isLasting: true,
      },
    ],
    [
      "a proxy of a `dispatcher` that responds with 403",
      {
        cause: failure({}, "Proxy response (403) !== 200 when HTTP Tunneling"),
        reason: "the proxy of your `dispatcher` responded with 403 to CONNECT",
        advice: "Ask the operator of the proxy",
        isLasting: true,
      },
    ],
    [
      "a proxy of a `dispatcher` that responds with 407",
      {
        cause: failure({}, "Proxy response (407) !== 200 when HTTP Tunneling"),
        reason: "responded with 407 to CONNECT",
        advice: "Check the user name and the password",
        isLasting: true,
      },
    ],
    [
      "a proxy of a `dispatcher` that cannot reach the service",
      {
        cause: failure({}, "Proxy response (503) !== 200 when HTTP Tunneling"),
        reason: "responded with 503 to CONNECT",
        advice: "whether the proxy can reach the service",
        isLasting: false,
      },
    ],
    [
      "a proxy that responds with 407",
      { cause: byProxy(407), reason: "it failed", advice: "requires a user", isLasting: true },
    ],
    [
      "a proxy that responds with 502",
      {
        cause: byProxy(502),
        reason: "it failed",
        advice: "The proxy could not reach the service.",
        isLasting: false,
      },
    ],
  ])("contains a reason and advice for %s", (_what, { cause, reason, advice, isLasting }) => {
    const texts = { reason: expect.stringContaining(reason), advice: expect.stringContaining(advice) };
    expect(explain(cause, origin)).toEqual({ ...texts, isLasting, isUnsent: true });
  });

  it("is one line for a TLS fault, with the reason of OpenSSL", () => {
    const long =
      "80A2:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:../ssl/rec.c:1:\n";
    const reason = "tlsv1 alert protocol version";
    const code = "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION";
    const advice = expect.stringContaining("Check the port");
    const expected = { reason: `TLS failed: ${reason}`, advice, isUnsent: false };
    expect(explain(failure({ code, reason }, long), origin)).toEqual(expected);
    const another = { ...expected, reason: `TLS failed: ${code}` };
    expect(explain(failure({ code }, `${reason}\nmore`), origin)).toEqual(another);
    expect(explain(failure({ code, reason: `${reason}\nmore` }), origin)).toEqual(another);
  });

  it("does not claim that a request was not sent if a certificate is missing with TLS 1.3", () => {
    const cause = coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED");
    expect(explain(cause, origin)).toMatchObject({ isLasting: true, isUnsent: false });
  });

  it("suspects TLS if a response to http:// is not HTTP, or the connection is closed", () => {
    const advice = "Check `baseUrl` and the network. If this port uses TLS, begin `baseUrl` with https://.";
    const address = "http://pdf.test";
    const unknown = failure({}, "Response does not match the HTTP/1.1 protocol (Expected HTTP/)");
    for (const cause of [coded("HPE_INVALID_CONSTANT"), unknown]) {
      expect(explain(cause, address)).toEqual({
        reason: "the response is not HTTP",
        advice,
        isUnsent: false,
      });
    }
    const closed = failure({ code: "UND_ERR_SOCKET" }, "other side closed");
    expect(explain(closed, address)).toEqual({ advice, isUnsent: false });
    expect(explain(closed, origin)).toBeUndefined();
  });

  const dead = { syscall: "connect", code: "ECONNREFUSED", port: 3128 };
  const unknownHost = { syscall: "getaddrinfo", code: "ENOTFOUND", hostname: "proxy.test" };
  it.each<[what: string, cause: object, address: string, place: string | undefined]>([
    ["another port", dead, origin, "Port 3128"],
    ["another port of a name with several addresses", { errors: [failure(dead)] }, origin, "Port 3128"],
    ["another port of this machine", dead, "http://localhost:4010", "Port 3128"],
    ["another name", unknownHost, origin, "The host proxy.test"],
    ["the port of the service", { ...dead, port: 443 }, origin, undefined],
    ["the port of the service without TLS", { ...dead, port: 80 }, "http://pdf.test", undefined],
    ["the name of the service", { ...unknownHost, hostname: "pdf.test" }, origin, undefined],
  ])("names the place if a connection failed to %s", (_, cause, address, place) => {
    const advice = `${place} is not in \`baseUrl\`: check the proxy of your \`dispatcher\`, your \`fetch\` or the environment.`;
    expect(explain(failure(cause), address)).toEqual({ isUnsent: true, ...(place && { advice }) });
  });

  it.each([true, false])("advises --use-system-ca only if this version of Node has it: %s", (has) => {
    vi.spyOn(process, "allowedNodeEnvironmentFlags", "get").mockReturnValue(
      new Set(has ? ["--use-system-ca"] : []),
    );
    const advice = explain(coded("DEPTH_ZERO_SELF_SIGNED_CERT"), origin)?.advice;
    expect(advice?.includes("--use-system-ca")).toBe(has);
    expect(advice).toContain("NODE_EXTRA_CA_CERTS=<its PEM file>");
  });

  it.each([
    ["http://localhost:4010", true],
    ["http://127.0.0.1:4010", true],
    ["http://[::1]:4010", true],
    ["https://pdf.localhost", true],
    ["https://pdf.test", false],
  ])("asks whether the emulator is running if %s refuses the connection: %s", (address, asks) => {
    const advice = expect.stringMatching(/^Is the emulator \(npx template-pdf emulate\) or .* running .*\?/);
    // The error for a name with several addresses has no `syscall`.
    const both = [coded("ECONNREFUSED", { syscall: "connect" }), coded("ECONNREFUSED", { errors: [] })];
    for (const cause of both) {
      expect(explain(inCauses(1, cause), address)).toEqual({ isUnsent: true, ...(asks && { advice }) });
    }
  });

  const unsent = [{ syscall: "connect" }, { syscall: "getaddrinfo" }, { code: "UND_ERR_CONNECT_TIMEOUT" }];
  it.each(unsent)("contains only `isUnsent: true` if the error has the property %j", (properties) => {
    expect(explain(failure(properties), origin)).toEqual({ isUnsent: true });
  });

  it.each(["Z_DATA_ERROR", "ERR__ERROR_FORMAT_HUFFMAN_SPACE"])(
    "contains `isUndecodable` for the error %s",
    (code) => {
      const terminated = new TypeError("terminated", { cause: coded(code) });
      expect(explain(terminated, origin)).toEqual({ isUndecodable: true, isUnsent: false });
    },
  );

  it.each([
    ["a coded body whose end is missing", coded("Z_BUF_ERROR")],
    ["a failure after the request was sent", failure({ code: "ECONNRESET", syscall: "read" })],
    ["a code that is the name of an object method", failure({ code: "toString" })],
    ["a code that is not a string", failure({ code: ["CERT_HAS_EXPIRED"] })],
    ["a value that is not an error", { code: "CERT_HAS_EXPIRED" }],
    ["a message that merely quotes a TLS error", failure({}, `not ${hungUp}`)],
    ["an error whose code cannot be read", unreadable],
  ])("is omitted for %s", (_, cause) => {
    expect(explain(cause, origin)).toBeUndefined();
  });

  it("is found in an error or its causes, up to ten levels deep", () => {
    expect(explain(inCauses(9, refused), origin)).toEqual({ isUnsent: true });
    expect(explain(inCauses(10, refused), origin)).toBeUndefined();
  });
});
