import { createSecureServer, type Http2ServerResponse } from "node:http2";
import type { TLSSocket } from "node:tls";
import { TruncatedPdfError } from "template-pdf";
import { Agent } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { makeAuthority } from "../support/certificates.ts";
import { clientOf, pdfOf } from "../support/service.ts";
import { open } from "../support/sockets.ts";

const authority = makeAuthority();
const large = pdfOf(2_000_000);

/** Starts a service that speaks only HTTP/2, and generates five documents with a dispatcher that allows that. */
async function overHttp2(answer: (response: Http2ServerResponse) => void): Promise<unknown[]> {
  const server = createSecureServer(authority.issue(["127.0.0.1"]), (request, response) => {
    response.setHeader("content-length", large.length);
    request.resume().once("end", () => answer(response));
  });
  server.on("secureConnection", (socket: TLSSocket) => socket.on("error", () => {}));
  const { port, close } = await open(server);
  onTestFinished(close);
  const dispatcher = new Agent({ connect: { ca: authority.cert }, allowH2: true });
  onTestFinished(() => dispatcher.destroy());
  const client = clientOf(`https://127.0.0.1:${port}`, { dispatcher });
  const calls = Array.from({ length: 5 }, () => client.generate("inv_2024", {}).bytes());
  return Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
}

it("a client with an HTTP/2 dispatcher receives complete documents", async () => {
  const documents = await overHttp2((response) => response.end(large));
  expect(documents.map((bytes) => large.equals(bytes as Uint8Array))).toEqual(Array(5).fill(true));
});

it("a client with an HTTP/2 dispatcher throws a TruncatedPdfError if the connection ends early", async () => {
  const errors = await overHttp2((response) => {
    response.write(large.subarray(0, 100_000), () => response.stream.session?.destroy());
  });
  expect(errors).toEqual(Array(5).fill(expect.any(TruncatedPdfError)));
});
