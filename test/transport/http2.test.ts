import { once } from "node:events";
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { TLSSocket } from "node:tls";
import { type TemplatePdf, TruncatedPdfError } from "template-pdf";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeAuthority } from "../support/certificates.ts";
import { clientOf, pdfOf } from "../support/service.ts";
import { open } from "../support/sockets.ts";

const authority = makeAuthority();
const large = pdfOf(2_000_000);

/** Starts a service that speaks only HTTP/2, and creates a client whose dispatcher allows that. */
async function overHttp2(
  answer: (response: Http2ServerResponse, request: Http2ServerRequest) => void,
): Promise<TemplatePdf> {
  const server = createSecureServer(authority.issue(["127.0.0.1"]), (request, response) => {
    request.resume().once("end", () => answer(response, request));
  });
  server.on("secureConnection", (socket: TLSSocket) => socket.on("error", () => {}));
  const listening = await open(server);
  onTestFinished(() => listening.close());
  const dispatcher = new Agent({ connect: { ca: authority.cert }, allowH2: true });
  onTestFinished(() => dispatcher.destroy());
  return clientOf(`https://127.0.0.1:${listening.port}`, { dispatcher });
}

const generate = (client: TemplatePdf) => client.generate("inv_2024", { total: "£1,000,000" });

describe("a dispatcher that allows HTTP/2", () => {
  it("delivers complete documents, also to a slow reader", async () => {
    const versions = new Set<string>();
    const client = await overHttp2((response, request) => {
      versions.add(request.httpVersion);
      response.setHeader("content-length", large.length);
      response.end(large);
    });
    const documents = await Promise.all(Array.from({ length: 5 }, () => generate(client).bytes()));
    expect(documents.every((bytes) => large.equals(bytes))).toBe(true);
    const parts: Uint8Array[] = [];
    for await (const chunk of await generate(client)) {
      parts.push(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(large.equals(Buffer.concat(parts))).toBe(true);
    expect([...versions]).toEqual(["2.0"]);
  });

  it("resets the stream of a cancelled document", async () => {
    let closed: Promise<unknown> | undefined;
    const client = await overHttp2((response) => {
      closed = once(response.stream, "close");
      response.write(large.subarray(0, 100_000));
    });
    const document = await generate(client);
    await document.cancel();
    expect(await closed).toBeDefined();
  });

  it.each<[string, (response: Http2ServerResponse) => unknown]>([
    ["the stream", ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
    ["the connection", ({ stream }) => stream.session?.goaway()],
  ])("reports a TruncatedPdfError when the service ends %s in the middle", async (_, breakOff) => {
    let begun: Http2ServerResponse | undefined;
    const client = await overHttp2((response) => {
      begun = response;
      response.setHeader("content-length", large.length);
      response.write(large.subarray(0, 100_000));
    });
    const document = await generate(client);
    if (begun) breakOff(begun);
    await expect(document.bytes()).rejects.toThrow(TruncatedPdfError);
  });
});
