import { createServer as createRawServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { ConnectionError } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { inDays, makeAuthority } from "../support/certificates.ts";
import { rejectionOf, transports } from "../support/service.ts";
import { open } from "../support/sockets.ts";
import { clientOf, sourceOf, startService } from "../transport/service.ts";
import { runChild, temporaryFile, writeChild } from "./child.ts";
import { startTlsService, type TlsService } from "./tls-service.ts";
import { trusting } from "./trusting.ts";

const authority = makeAuthority();
const here = ["localhost", "127.0.0.1"];

describe("a service whose certificate is of an authority of one's own", () => {
  it.each(here)("is trusted by `dispatcher: new Agent({ connect: { ca } })`, as %s", async (host) => {
    const { port, keys } = await startTlsService(authority.issue(here));
    for (const [, options] of trusting(authority.cert)) {
      expect(await sourceOf(clientOf(`https://${host}:${port}`, options))).toBe("tls");
    }
    expect(keys).toEqual(["API-Key key-of-the-tests", "API-Key key-of-the-tests"]);
  });

  it.each(["undici", "fetch"])("is trusted by NODE_EXTRA_CA_CERTS, by %s", async (transport) => {
    const { port } = await startTlsService(authority.issue(here));
    const script = await writeChild(`
      const [baseUrl, transport] = argv;
      const options = transport === "fetch" ? { fetch: globalThis.fetch } : {};
      const pdfs = new TemplatePdf({ baseUrl, apiKey: "key-of-the-tests", ...options });
      const bytes = await pdfs.generate("inv_2024", {}).buffer().catch((error) => error);
      console.log(JSON.stringify({ transport: pdfs.transport, code: bytes.code, text: bytes.toString("latin1") }));
      await pdfs.close();`);
    const run = (env: Record<string, string>) =>
      runChild(script, [`https://127.0.0.1:${port}`, transport], env);
    const trust = { NODE_EXTRA_CA_CERTS: await temporaryFile("authority.pem", authority.cert) };
    expect(await run(trust)).toMatchObject({ transport, text: expect.stringContaining("tls") });
    expect(await run({})).toMatchObject({ transport, code: "connection_failed" });
  });
});

describe("a service that does not prove who it is", () => {
  const cases: [string, () => Promise<TlsService>, RegExp][] = [
    [
      "an authority that nobody knows",
      () => startTlsService(makeAuthority("Stranger").issue(here)),
      /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/,
    ],
    [
      "the name of another host",
      () => startTlsService(authority.issue(["pdf.example.com"])),
      /ERR_TLS_CERT_ALTNAME_INVALID/,
    ],
    [
      "a certificate that has expired",
      () => startTlsService(authority.issue(here, inDays(-1))),
      /CERT_HAS_EXPIRED/,
    ],
  ];

  it.each(cases)("by %s never gets the key, and is a ConnectionError", async (_what, start, code) => {
    const { port, keys } = await start();
    for (const [, options] of trusting(authority.cert)) {
      const error = await rejectionOf(sourceOf(clientOf(`https://localhost:${port}`, options)));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(inspect(error, { depth: 10 })).toMatch(code);
      expect(inspect(error, { depth: 10 })).not.toContain("key-of-the-tests");
    }
    expect(keys).toEqual([]);
  });

  it("is asked once more by the next call, and found to be mended", async () => {
    const bad = await startTlsService(authority.issue(here, inDays(-1)));
    for (const [, options] of trusting(authority.cert)) {
      const client = clientOf(`https://localhost:${bad.port}`, options);
      await expect(sourceOf(client)).rejects.toThrow(ConnectionError);
      const good = await startTlsService(authority.issue(here));
      expect(await sourceOf(client.with({ baseUrl: `https://localhost:${good.port}` }))).toBe("tls");
    }
    expect(bad.keys).toEqual([]);
  });
});

describe.each(transports)("a port that speaks another language, by %s,", (_, options) => {
  const refusals: [string, (socket: Socket) => void][] = [
    ["SSH", (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n")],
    ["nothing, and hangs up", (socket) => socket.end()],
    ["nothing, and resets", (socket) => socket.once("data", () => socket.resetAndDestroy())],
  ];

  it.each(refusals)("is a ConnectionError for https://: %s", async (_what, speak) => {
    const server = await open(createRawServer(speak));
    onTestFinished(() => server.close());
    const error = await rejectionOf(sourceOf(clientOf(`https://127.0.0.1:${server.port}`, options)));
    expect(error).toBeInstanceOf(ConnectionError);
  });

  it("is a ConnectionError for https:// where it speaks http://, and the key stays here", async () => {
    const service = await startService();
    const error = await rejectionOf(sourceOf(clientOf(`https://127.0.0.1:${service.port}`, options)));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(inspect(error, { depth: 10 })).toMatch(/ERR_SSL_|EPROTO/);
  });

  it("is a ConnectionError for http:// where it speaks https://", async () => {
    const { port, keys } = await startTlsService(authority.issue(here));
    await expect(sourceOf(clientOf(`http://127.0.0.1:${port}`, options))).rejects.toThrow(ConnectionError);
    expect(keys).toEqual([]);
  });
});
