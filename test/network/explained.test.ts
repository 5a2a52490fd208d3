import { createServer as createRawServer, type Socket } from "node:net";
import { ConnectionError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { inDays, makeAuthority } from "../support/certificates.ts";
import { pdfOf, rejectionOf, transports } from "../support/service.ts";
import { open } from "../support/sockets.ts";
import { framed, head, later, serveRaw } from "../transport/server.ts";
import { clientOf, sourceOf, startService } from "../transport/service.ts";
import { startTlsService } from "./tls-service.ts";
import { trusting } from "./trusting.ts";

const authority = makeAuthority();
const here = ["localhost", "127.0.0.1"];

describe("what a user reads and does about it,", () => {
  const cases: [string, () => Promise<{ readonly port: number }>, readonly string[]][] = [
    [
      "where an authority is not known",
      () => startTlsService(makeAuthority("Stranger").issue(here)),
      ["its certificate is of an authority that is not known here", "NODE_EXTRA_CA_CERTS", "`dispatcher`"],
    ],
    [
      "where a certificate has expired",
      () => startTlsService(authority.issue(here, inDays(-1))),
      ["its certificate has expired", "renewed", "clock"],
    ],
    [
      "where a certificate is for another host",
      () => startTlsService(authority.issue(["pdf.example.com"])),
      ["its certificate is for DNS:pdf.example.com, not for localhost", "Point `baseUrl` at a name"],
    ],
    [
      "where a port speaks http",
      startService,
      ["what answers at that port does not speak TLS", "https://", "http://"],
    ],
    [
      "where a port hangs up",
      () => raw((socket) => socket.once("data", () => socket.end())),
      ["it hung up before TLS was agreed on", "Check the port"],
    ],
  ];

  it.each(cases)("%s: once, nothing was sent, and what to do", async (_where, start, said) => {
    const { port } = await start();
    for (const [, options] of trusting(authority.cert)) {
      const error = await rejectionOf(sourceOf(clientOf(`https://localhost:${port}`, options)));
      expect(error).toBeInstanceOf(ConnectionError);
      const message = (error as Error).message;
      expect(message).toContain(`Could not reach the service at https://localhost:${port}`);
      for (const words of said) expect(message).toContain(words);
      expect(message).not.toMatch(/\n|openssl|may have been rendered/);
    }
  });

  it("is not tried again where only somebody can mend it", async () => {
    const { port } = await startTlsService(authority.issue(here, inDays(-1)));
    for (const [, options] of trusting(authority.cert)) {
      const client = clientOf(`https://localhost:${port}`, { ...options, retry: { limit: 2 } });
      expect(await rejectionOf(sourceOf(client))).toMatchObject({ attempts: 1 });
    }
  });
});

describe.each(transports)("what certainly was not sent, by %s,", (_, options) => {
  it("is tried again also where nothing may be rendered twice", async () => {
    const gone = await open(createRawServer());
    await gone.close();
    const client = clientOf(gone.origin, { ...options, retry: { limit: 1, mayRenderTwice: false } });
    const error = await rejectionOf(sourceOf(client));
    expect(error).toMatchObject({ code: "connection_failed", attempts: 2 });
    expect(String(error)).not.toContain("may have been rendered");
  });
});

describe.each(transports)("a document that broke after its end mark, by %s,", (_, options) => {
  it("is not said to lack it", async () => {
    const pdf = pdfOf(5_000);
    const cut = later<Socket>();
    const server = await serveRaw((socket) => {
      socket.write(head(200, ["transfer-encoding: chunked"]));
      socket.write(framed(pdf));
      cut.resolve(socket);
    });
    const document = await clientOf(server.origin, options).generate("inv", {});
    const failed = rejectionOf(document.bytes());
    (await cut.promise).end();
    const error = await failed;
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(String(error)).toMatch(/5000 bytes arrived, and then the connection broke/);
  });
});

async function raw(onConnection: (socket: Socket) => void): Promise<{ readonly port: number }> {
  const server = await open(createRawServer(onConnection));
  onTestFinished(() => server.close());
  return server;
}
