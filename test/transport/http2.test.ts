import { once } from "node:events";
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { TLSSocket } from "node:tls";
import { type ClientOptions, type TemplatePdf, TruncatedPdfError } from "template-pdf";
import { Agent } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { makeAuthority } from "../support/certificates.ts";
import { open } from "../support/sockets.ts";
import { noise } from "./server.ts";
import { clientOf } from "./service.ts";

const authority = makeAuthority();
const large = Buffer.concat([Buffer.from("%PDF-1.7\n"), noise(2_000_000), Buffer.from("\n%%EOF\n")]);

type Answer = (response: Http2ServerResponse, request: Http2ServerRequest) => void;

const whole: Answer = (response) => {
  response.setHeader("content-type", "application/pdf");
  response.setHeader("content-length", large.length);
  response.end(large);
};

/** A service that speaks nothing but HTTP/2, and a client whose dispatcher was told that it may. */
async function overHttp2(answer: Answer, options: ClientOptions = {}): Promise<TemplatePdf> {
  const server = createSecureServer(authority.issue(["127.0.0.1"]), (request, response) => {
    request.resume().once("end", () => answer(response, request));
  });
  server.on("secureConnection", (socket: TLSSocket) => socket.on("error", () => {}));
  const listening = await open(server);
  onTestFinished(() => listening.close());
  const dispatcher = new Agent({ connect: { ca: authority.cert }, allowH2: true });
  onTestFinished(() => dispatcher.destroy());
  return clientOf(`https://127.0.0.1:${listening.port}`, { dispatcher, ...options });
}

const generate = (client: TemplatePdf) => client.generate("inv_2024", { total: "£1,000,000" });

it("carries a document whole over HTTP/2, by a dispatcher of the caller's that allows it", async () => {
  const versions = new Set<string>();
  const client = await overHttp2((response, request) => {
    versions.add(request.httpVersion);
    whole(response, request);
  });
  const documents = await Promise.all(Array.from({ length: 5 }, () => generate(client).bytes()));
  expect(documents.every((bytes) => large.equals(bytes))).toBe(true);
  expect([...versions]).toEqual(["2.0"]);
});

it("carries a document that is read slowly over HTTP/2", async () => {
  const document = await generate(await overHttp2(whole));
  const parts: Uint8Array[] = [];
  for await (const chunk of document) {
    parts.push(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(large.equals(Buffer.concat(parts))).toBe(true);
});

it("resets the stream of a document that is given up", async () => {
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
  ["whose stream is reset", ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ["whose connection is being closed by the service", ({ stream }) => stream.session?.goaway()],
])("tells of a document %s as of one that was cut off", async (_, breakOff) => {
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
