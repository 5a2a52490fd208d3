import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  beginning,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  transports,
  untilClose,
  withLength,
} from "../support/service.ts";
import { generate, iterable, outputMethods, readAt, stages } from "./output-methods.ts";

// For other framings and single-byte chunks see test/faults and test/transport.

const small = pdfOf(2_000);
const large = pdfOf(700_001);

describe.each(transports)("a client over %s", (_, options) => {
  it.each([
    ["a content-length", withLength, large],
    ["chunked encoding", inChunks, small],
  ])("returns every byte from every output method if the response has %s", async (_, answer, pdf) => {
    const client = (await Service.start(answer(pdf))).client(options);
    for (const stage of stages) {
      const read = async ([method, output]: (typeof outputMethods)[number]) =>
        [method, pdf.equals(await readAt(stage, generate(client), output))] as const;
      expect(await Promise.all(outputMethods.map(read))).toEqual(
        outputMethods.map(([method]) => [method, true]),
      );
    }
  });

  it("accepts an empty body if `verify` is false", async () => {
    const service = await Service.start(saying(204));
    for (const [method, read] of outputMethods) {
      const bytes = await read(generate(service.client({ ...options, verify: false })));
      expect({ method, byteLength: bytes.byteLength }).toEqual({ method, byteLength: 0 });
    }
  });

  it.each([20, 70_000])(
    "allocates a separate %d-byte ArrayBuffer for each of bytes(), arrayBuffer() and buffer()",
    async (size) => {
      // A pool would be used only for bodies smaller than Buffer.poolSize.
      for (const answer of [withLength, inChunks]) {
        const client = (await Service.start(answer(pdfOf(size)))).client(options);
        const bytes = await generate(client).bytes();
        expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
        const buffer = await generate(client).buffer();
        expect(Buffer.isBuffer(buffer)).toBe(true);
        for (const view of [bytes, buffer]) {
          expect(view.buffer).toBeInstanceOf(ArrayBuffer);
          expect({
            byteLength: view.byteLength,
            byteOffset: view.byteOffset,
            bufferLength: view.buffer.byteLength,
          }).toEqual({ byteLength: size, byteOffset: 0, bufferLength: size });
        }
        const arrayBuffer = await generate(client).arrayBuffer();
        expect({
          isArrayBuffer: arrayBuffer instanceof ArrayBuffer,
          byteLength: arrayBuffer.byteLength,
        }).toEqual({ isArrayBuffer: true, byteLength: size });
      }
    },
  );

  it.each(["stream", "iteration", "response"])(
    "returns chunks whose buffers can be transferred: %s",
    async (method) => {
      for (const [pdf, answer] of [
        [large, inChunks(large)],
        [small, withLength(small)],
      ] as const) {
        const document = await generate((await Service.start(answer)).client(options));
        const body = method === "response" ? document.response().body : undefined;
        const moved: Uint8Array[] = [];
        for await (const chunk of iterable(body ?? (method === "stream" ? document.stream() : document))) {
          expect(Object.getPrototypeOf(chunk)).toBe(Uint8Array.prototype);
          expect({ byteOffset: chunk.byteOffset, bufferLength: chunk.buffer.byteLength }).toEqual({
            byteOffset: 0,
            bufferLength: chunk.byteLength,
          });
          moved.push(structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] }));
        }
        expect(pdf.equals(Buffer.concat(moved))).toBe(true);
      }
    },
  );

  it("verifies the PDF even if the reader overwrites the chunks", async () => {
    const service = await Service.start(beginning(small));
    const reader = (await generate(service.client(options)).stream()).getReader();
    for (let read = 0; read < small.length; ) {
      const { value } = await reader.read();
      read += value?.byteLength ?? 0;
      value?.fill(0);
    }
    (await service.request()).response.end();
    expect(await reader.read()).toMatchObject({ done: true });
  });
});

describe("a second read", () => {
  it.each(outputMethods)("rejects with a TypeError: %s", async (method, read) => {
    const service = await Service.start(withLength(small));
    const pending = generate(service.client());
    const both = await Promise.allSettled([read(pending), pending.bytes()]);
    const [got] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const [early] = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(got && small.equals(got)).toBe(true);
    expect(early).toBeInstanceOf(TypeError);
    expect(String(early)).toContain("cannot read the document, because");
    const document = await generate(service.client());
    await read(document);
    for (const [second, readAgain] of outputMethods) {
      const error = await rejectionOf((async () => readAgain(document))());
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(method);
      expect(String(error)).toContain(second);
    }
  });

  it("does not affect a stream that the first read returned", async () => {
    const document = await generate((await Service.start(withLength(large))).client());
    const stream = document.stream();
    await rejectionOf(document.bytes());
    expect(() => document.nodeStream()).toThrow(TypeError);
    expect(() => document.response()).toThrow(TypeError);
    expect(large.equals(Buffer.from(await new Response(stream).arrayBuffer()))).toBe(true);
  });
});

describe("a document", () => {
  it("has the response's status, headers and length, and the number of attempts", async () => {
    const service = await Service.start(({ response }) => {
      const cookies = { "set-cookie": ["a=1", "b=2"] };
      response.writeHead(201, { "content-length": small.length, "x-pages": "3", ...cookies });
      response.end(small);
    });
    const document = await generate(service.client());
    const own = { status: 201, contentLength: small.length, attempts: 1 };
    expect(document).toMatchObject({ ...own, requestId: undefined, filename: undefined });
    expect(document.headers).toBeInstanceOf(Headers);
    expect(document.headers.get("x-pages")).toBe("3");
    expect(document.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(document.headers).toBe(document.headers);
  });

  it.each([
    ["chunked encoding", inChunks(small)],
    ["neither chunked encoding nor a content-length", untilClose(small)],
    ["gzip encoding", withLength(gzipSync(small), { "content-encoding": "gzip" })],
  ])("has no contentLength if the response has %s", async (_, answer) => {
    const service = await Service.start(answer);
    const document = await generate(service.client());
    expect(document.contentLength).toBeUndefined();
    expect(document.response().headers.get("content-length")).toBeNull();
  });
});

describe("response()", () => {
  const serve = () => Service.start(withLength(small, { "x-internal": "secret", "set-cookie": "a=1" }));
  const length = { "content-length": String(small.length) };

  it("returns a Response with status 200 and only the content-type and content-length headers", async () => {
    const response = await generate((await serve()).client()).response();
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({ "content-type": "application/pdf", ...length });
    expect(small.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  it("uses the caller's status and headers", async () => {
    const headers = { "content-disposition": "attachment", "content-type": "application/octet-stream" };
    const init = Object.freeze({ status: 202, headers: Object.entries(headers) });
    const response = await generate((await serve()).client()).response(init);
    expect(response.status).toBe(202);
    expect(Object.fromEntries(response.headers)).toEqual({ ...headers, ...length });
    await response.body?.cancel();
  });

  it.each([
    ["a status that has no body", { status: 204 }, TypeError],
    ["a status that does not exist", { status: 99 }, RangeError],
    ["a header that cannot be sent", { headers: { "x-a": "b\r\nc: d" } }, TypeError],
  ] as const)("throws for %s, but leaves the document readable", async (_, init, type) => {
    const document = await generate((await serve()).client());
    expect(() => document.response(init)).toThrow(type);
    expect(small.equals(await document.bytes())).toBe(true);
  });
});

it("blob() returns a Blob of type application/pdf regardless of the response's content-type", async () => {
  const service = await Service.start(withLength(small, { "content-type": "text/plain" }));
  expect(await generate(service.client()).blob()).toMatchObject({ type: "application/pdf", size: 2_000 });
});
