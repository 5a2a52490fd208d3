import { inspect } from "node:util";
import { type ClientOptions, ConnectionError } from "template-pdf";
import { Agent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { inDays, makeAuthority } from "../support/certificates.ts";
import { clientOf, rejectionOf, sourceOf, startService, transports } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";

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

describe("a service with a certificate of a private certificate authority", () => {
  it.each(here)("is trusted with `dispatcher: new Agent({ connect: { ca } })`, as %s", async (host) => {
    const service = await startService(authority.issue(here));
    for (const options of trusting()) {
      expect(await sourceOf(clientOf(`https://${host}:${service.port}`, options))).toBe("tls");
    }
    expect(service.keys).toEqual(["API-Key key-of-the-tests", "API-Key key-of-the-tests"]);
  });
});

interface Unproven {
  readonly what: string;
  /** Starts the server, and returns its port and the keys that it received. */
  readonly start: () => Promise<{ readonly port: number; readonly keys: readonly unknown[] }>;
  /** The code or the message of the cause. */
  readonly cause: RegExp;
  /** The part of the message with the reason and the advice. */
  readonly said: readonly string[];
  readonly attempts: number;
}

describe("a service that does not prove its identity", () => {
  it.each<Unproven>([
    {
      what: "with a certificate of an unknown authority",
      start: () => startService(makeAuthority("Stranger").issue(here)),
      cause: /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/,
      said: ["the authority of its certificate is unknown", "NODE_EXTRA_CA_CERTS", "`dispatcher`"],
      attempts: 1,
    },
    {
      what: "with an expired certificate",
      start: () => startService(authority.issue(here, inDays(-1))),
      cause: /CERT_HAS_EXPIRED/,
      said: ["its certificate has expired", "renew it", "clock"],
      attempts: 1,
    },
    {
      what: "with the certificate of another host",
      start: () => startService(authority.issue(["pdf.example.com"])),
      cause: /ERR_TLS_CERT_ALTNAME_INVALID/,
      said: ["its certificate is for DNS:pdf.example.com, not for localhost", "Use a host name in `baseUrl`"],
      attempts: 1,
    },
    {
      what: "at a port for http:",
      start: () => startService(),
      cause: /ERR_SSL_|EPROTO/,
      said: ["the server on that port does not use TLS", "https://", "http://"],
      attempts: 1,
    },
    {
      what: "at a port that hangs up",
      start: async () => {
        const server = await listenRaw((socket) => socket.once("data", () => socket.end()));
        onTestFinished(() => server.close());
        return { port: server.port, keys: [] };
      },
      cause: /disconnected before secure TLS|ECONNRESET/,
      said: ["it disconnected during the TLS handshake", "Check the port"],
      attempts: 2,
    },
  ])("$what causes a ConnectionError with advice, and the service never receives the key", async (row) => {
    const service = await row.start();
    const { port } = service;
    for (const options of trusting()) {
      const client = clientOf(`https://localhost:${port}`, { ...options, retry: { limit: 1 } });
      const error = await rejectionOf(sourceOf(client));
      expect(error).toBeInstanceOf(ConnectionError);
      const { message, attempts } = error as ConnectionError;
      expect(message).toContain(`Could not reach https://localhost:${port}`);
      for (const words of row.said) expect(message).toContain(words);
      expect(message).not.toMatch(/\n|openssl|may have been rendered/);
      expect(attempts).toBe(row.attempts);
      expect(inspect(error, { depth: 10 })).toMatch(row.cause);
      expect(inspect(error, { depth: 10 })).not.toContain("key-of-the-tests");
    }
    expect(service.keys).toEqual([]);
  });

  it.each(transports)("does not receive the key over http:, with %s", async (_, options) => {
    const service = await startService(authority.issue(here));
    await expect(sourceOf(clientOf(`http://127.0.0.1:${service.port}`, options))).rejects.toThrow(
      ConnectionError,
    );
    expect(service.keys).toEqual([]);
  });
});
