import { describe, expect, it } from "vitest";
import { explain, ProxyFailure } from "../../src/transport/explain.ts";

/** An error as Node, OpenSSL and undici throw it. */
function failure(properties: object, message = "boom"): Error {
  return Object.assign(new Error(message), properties);
}

function inCauses(depth: number, error: unknown): unknown {
  return depth === 0 ? error : new Error("outer", { cause: inCauses(depth - 1, error) });
}

const refused = failure({ syscall: "connect" });
const altname = "ERR_TLS_CERT_ALTNAME_INVALID";

describe("the explanation of a failure", () => {
  it.each([
    ["CERT_HAS_EXPIRED", "its certificate has expired", "check the clock", true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "is self-signed", "NODE_EXTRA_CA_CERTS=", true],
    // A server that is starting may respond this way.
    ["EPROTO", "uses another version of TLS, or none", "whether the service uses http://", false],
  ])("names the reason and the advice for %s", (code, reason, advice, isLasting) => {
    expect(explain(failure({ code }))).toEqual({
      reason: expect.stringContaining(reason),
      advice: expect.stringContaining(advice),
      isLasting,
      unsent: true,
    });
  });

  it("names the port if the connection ends before TLS", () => {
    const message = "Client network socket disconnected before secure TLS connection was established";
    const explained = explain(failure({ code: "ECONNRESET" }, message));
    expect(explained).toMatchObject({ reason: "it disconnected during the TLS handshake", unsent: true });
    expect(explained?.advice).toContain("Check the port");
    expect(explain(failure({}, `not ${message}`))).toBeUndefined();
  });

  it.each([
    ["both names", { host: "a.test", cert: { subjectaltname: "DNS:b.test" } }, "DNS:b.test, not for a.test"],
    ["no names", { host: 1, cert: { subjectaltname: 2 } }, "another host, not for this one"],
    ["no certificate", {}, "another host, not for this one"],
  ])("of a certificate for another host has %s", (_, known, names) => {
    expect(explain(failure({ code: altname, ...known }))).toEqual({
      reason: `its certificate is for ${names}`,
      advice: "Use a host name in `baseUrl` that the certificate covers.",
      isLasting: true,
      unsent: true,
    });
  });

  it.each([
    [407, "It requires a user and a password", true],
    [502, "Check HTTP_PROXY and HTTPS_PROXY", false],
  ])("of a proxy that responds with %i says whether a retry helps", (status, advice, isLasting) => {
    const cause = new Error("inner");
    const error = new ProxyFailure("the proxy failed", { status, cause });
    expect(error).toMatchObject({ name: "ProxyFailure", code: "PROXY_FAILED", status, cause });
    const expected = { reason: "the proxy failed", isLasting, unsent: true };
    expect(explain(error)).toEqual({ ...expected, advice: expect.stringContaining(advice) });
    expect(new ProxyFailure("the proxy failed")).not.toHaveProperty("cause");
  });

  it.each([{ syscall: "connect" }, { syscall: "getaddrinfo" }, { code: "UND_ERR_CONNECT_TIMEOUT" }])(
    "of %j is that the request was not sent",
    (properties) => {
      expect(explain(failure(properties))).toEqual({ unsent: true });
    },
  );

  it.each([
    ["a failure after the request was sent", failure({ code: "ECONNRESET", syscall: "read" })],
    ["a name that every object has", failure({ code: "toString" })],
    ["a code that is not a string", failure({ code: ["CERT_HAS_EXPIRED"] })],
    ["a value that is not an error", { code: "CERT_HAS_EXPIRED" }],
  ])("is missing for %s", (_, cause) => {
    expect(explain(cause)).toBeUndefined();
  });

  it("is found in the causes of an error, ten deep", () => {
    expect(explain(inCauses(9, refused))).toEqual({ unsent: true });
    expect(explain(inCauses(10, refused))).toBeUndefined();
  });

  it("is missing for an error that cannot be read", () => {
    const unreadable = Object.defineProperty(new Error("boom"), "code", {
      get() {
        throw new Error("unreadable");
      },
    });
    expect(explain(unreadable)).toBeUndefined();
  });
});
