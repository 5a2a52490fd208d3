import { describe, expect, it } from "vitest";
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
      "a proxy that responds with 407",
      { cause: byProxy(407), reason: "it failed", advice: "requires a user", isLasting: true },
    ],
    [
      "a proxy that responds with 502",
      { cause: byProxy(502), reason: "it failed", advice: "Check HTTP_PROXY", isLasting: false },
    ],
  ])("contains a reason and advice for %s", (_what, { cause, reason, advice, isLasting }) => {
    const texts = { reason: expect.stringContaining(reason), advice: expect.stringContaining(advice) };
    expect(explain(cause, origin)).toEqual({ ...texts, isLasting, isUnsent: true });
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
