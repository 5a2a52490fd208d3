import { inspect } from "node:util";
import { type ClientOptions, ConnectionError } from "template-pdf";
import { Agent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Issued, makeAuthority } from "../support/certificates.ts";
import { clientOf, rejectionOf, sourceOf, startService } from "../support/service.ts";

const authority = makeAuthority();
const here = ["localhost", "127.0.0.1"];

/** Both transports, with an agent of the caller that trusts the certificate authority of the tests. */
function trusting(): readonly ClientOptions[] {
  const dispatcher = new Agent({ connect: { ca: authority.cert } });
  onTestFinished(() => dispatcher.close());
  // biome-ignore lint/suspicious/noExplicitAny: the types of undici's fetch are not those of the DOM.
  const fetch: any = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher });
  return [{ dispatcher }, { fetch }];
}

describe("a service with a certificate from a private certificate authority", () => {
  it.each(here)("is trusted at %s with `dispatcher: new Agent({ connect: { ca } })`", async (host) => {
    const service = await startService(authority.issue(here));
    for (const options of trusting()) {
      expect(await sourceOf(clientOf(`https://${host}:${service.port}`, options))).toBe("tls");
    }
    expect(service.keys).toEqual(["API-Key key-of-the-tests", "API-Key key-of-the-tests"]);
  });
});

describe("a service that cannot prove its identity", () => {
  it.each<[what: string, issue: (() => Issued) | undefined, cause: RegExp, said: readonly string[]]>([
    [
      "a certificate from an unknown authority",
      () => makeAuthority("Stranger").issue(here),
      /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/,
      ["its certificate was issued by an unknown authority", "NODE_EXTRA_CA_CERTS", "`dispatcher`"],
    ],
    [
      "a certificate for another host",
      () => authority.issue(["pdf.example.com"]),
      /ERR_TLS_CERT_ALTNAME_INVALID/,
      ["its certificate is for DNS:pdf.example.com, not for localhost", "Use a host name in `baseUrl`"],
    ],
    [
      "a port without TLS",
      undefined,
      /ERR_SSL_|EPROTO/,
      ["the server on that port does not use TLS", "https://", "http://"],
    ],
  ])("causes a ConnectionError and never receives the key: %s", async (_, issue, cause, said) => {
    const service = await startService(issue?.());
    for (const options of trusting()) {
      const client = clientOf(`https://localhost:${service.port}`, { ...options, retry: { limit: 1 } });
      const error = await rejectionOf(sourceOf(client));
      expect(error).toBeInstanceOf(ConnectionError);
      const { message, attempts } = error as ConnectionError;
      expect(message).toContain(`Could not reach https://localhost:${service.port}`);
      for (const words of said) expect(message).toContain(words);
      expect(message).not.toMatch(/\n|openssl|may have been rendered/);
      expect(attempts).toBe(1);
      expect(inspect(error, { depth: 10 })).toMatch(cause);
      expect(inspect(error, { depth: 10 })).not.toContain("key-of-the-tests");
    }
    expect(service.keys).toEqual([]);
  });
});
