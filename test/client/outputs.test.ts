import { describe, expect, it } from "vitest";
import {
  type Answer,
  beginning,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  transports,
  withLength,
} from "../support/service.ts";
import { generate, iterable, outputMethods, readAt, stages } from "./every-form.ts";

// For other framings and single-byte chunks see test/faults and test/transport.

const small = pdfOf(2_000);
const large = pdfOf(700_001);

const framings: readonly (readonly [string, (body: Buffer) => Answer])[] = [
  ["content-length", withLength],
  ["chunks", inChunks],
];

describe.each(transports)("a client over %s", (_, options) => {
  it.each(framings)(
    "returns every byte from every output method of a body framed by %s",
    async (_, answer) => {
      for (const pdf of [small, large]) {
        const client = (await Service.start(answer(pdf))).client(options);
        for (const stage of stages) {
          const read = async ([method, output]: (typeof outputMethods)[number]) =>
            [method, pdf.equals(await readAt(stage, generate(client), output))] as const;
          expect(await Promise.all(outputMethods.map(read))).toEqual(
            outputMethods.map(([method]) => [method, true]),
          );
        }
      }
    },
  );

  it.each(outputMethods)("returns no bytes from %s of an empty body with verify: false", async (_, read) => {
    const service = await Service.start(saying(204));
    for (const stage of stages) {
      const pending = generate(service.client({ ...options, verify: false }));
      expect((await readAt(stage, pending, read)).byteLength).toBe(0);
    }
  });

  it.each(framings)(
    "returns separate memory from bytes(), arrayBuffer() and buffer() of a body framed by %s",
    async (_, answer) => {
      // A pool would be used only for bodies smaller than Buffer.poolSize.
      for (const size of [20, 1_000, 4_096, 70_000]) {
        const client = (await Service.start(answer(pdfOf(size)))).client(options);
        const bytes = await generate(client).bytes();
        expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
        const buffer = await generate(client).buffer();
        expect(Buffer.isBuffer(buffer)).toBe(true);
        for (const view of [bytes, buffer]) {
          expect(view.buffer).toBeInstanceOf(ArrayBuffer);
          expect([view.byteLength, view.byteOffset, view.buffer.byteLength]).toEqual([size, 0, size]);
        }
        const arrayBuffer = await generate(client).arrayBuffer();
        expect([arrayBuffer instanceof ArrayBuffer, arrayBuffer.byteLength]).toEqual([true, size]);
      }
    },
  );

  it.each(["stream", "iteration", "response"])(
    "returns chunks from %s that can be transferred",
    async (method) => {
      for (const answer of [withLength(large), inChunks(large), withLength(small)]) {
        const document = await generate((await Service.start(answer)).client(options));
        const body = method === "response" ? document.response().body : undefined;
        const moved: Uint8Array[] = [];
        for await (const chunk of iterable(body ?? (method === "stream" ? document.stream() : document))) {
          expect(Object.getPrototypeOf(chunk)).toBe(Uint8Array.prototype);
          expect([chunk.byteOffset, chunk.buffer.byteLength]).toEqual([0, chunk.byteLength]);
          moved.push(structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] }));
        }
        const whole = Buffer.concat(moved);
        expect((whole.length === small.length ? small : large).equals(whole)).toBe(true);
      }
    },
  );

  it("verifies the PDF even if the reader overwrites or transfers chunks", async () => {
    let finish: (() => void) | undefined;
    const service = await Service.start((received) => {
      beginning(small)(received);
      finish = () => received.response.end();
    });
    for (const spoil of [
      (chunk: Uint8Array) => void chunk.fill(0),
      (chunk: Uint8Array) => void structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] }),
    ]) {
      const reader = (await generate(service.client(options)).stream()).getReader();
      for (let read = 0; read < small.length; ) {
        const { value } = await reader.read();
        read += value?.byteLength ?? 0;
        if (value) spoil(value);
      }
      finish?.();
      expect(await reader.read()).toMatchObject({ done: true });
    }
  });
});

describe("a second read", () => {
  it.each(outputMethods)(
    "of a document after %s rejects with a TypeError that names both methods",
    async (method, read) => {
      const service = await Service.start(withLength(small));
      const document = await generate(service.client());
      await read(document);
      for (const [second, readAgain] of outputMethods) {
        const error = await rejectionOf((async () => readAgain(document))());
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain(method);
        expect(String(error)).toContain(second);
      }
    },
  );

  it.each(outputMethods)(
    "of a pending result in addition to %s rejects with a TypeError, and one read succeeds",
    async (_, read) => {
      const service = await Service.start(withLength(small));
      const pending = generate(service.client());
      const both = await Promise.allSettled([read(pending), pending.bytes()]);
      const [got] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const [error] = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      expect(got && small.equals(got)).toBe(true);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain("cannot read the document, because");
    },
  );

  it("does not disturb the first", async () => {
    const service = await Service.start(withLength(large));
    const document = await generate(service.client());
    const stream = document.stream();
    await rejectionOf(document.bytes());
    expect(() => document.nodeStream()).toThrow(TypeError);
    expect(() => document.response()).toThrow(TypeError);
    expect(large.equals(Buffer.from(await new Response(stream).arrayBuffer()))).toBe(true);
  });
});
