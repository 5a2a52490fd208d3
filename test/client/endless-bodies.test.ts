import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConfigurationError, TemplatePdf, TimeoutError } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { rejectionOf } from "../support/service.ts";

/** Far more reads than a client makes before it lets timers run. A client that never does fails here, and does not hang. */
const mostReads = 1_000_000;

/** A body that starts with these chunks and then repeats the last one for ever. Every read resolves immediately. */
function endlessBody(...chunks: readonly (string | Uint8Array)[]) {
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  const cancelled = vi.fn();
  let reads = 0;
  const read = async () => {
    if (++reads > mostReads) throw new Error("Timers did not run.");
    // A new array each time, because the client may keep them.
    return { done: false, value: bytes[Math.min(reads, bytes.length) - 1]?.slice() };
  };
  const body = {
    getReader: () => ({ read, cancel: async () => cancelled() }),
    cancel: async () => cancelled(),
  };
  return { body, cancelled, reads: () => reads };
}

const empty = new Uint8Array();
const pdf = "%PDF-1.4\n";

function clientOf(body: unknown, options: object = {}, status = 200) {
  const headers = new Headers({ "content-type": "application/pdf" });
  const fetch = async () => ({ status, type: "default", headers, body });
  return new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "key-of-the-tests",
    fetch: fetch as never,
    retry: false,
    ...options,
  });
}

const generate = (client: TemplatePdf, options = {}) => client.generate("t", {}, options);

describe("a body of empty chunks from a custom fetch", () => {
  it.each([
    ["firstByte", [empty], { firstByte: 20, stall: 60_000 }],
    ["stall", [pdf, empty], { firstByte: 60_000, stall: 20 }],
    ["total", [pdf, empty], { total: 20 }],
  ] as const)("reaches `timeouts.%s`", async (phase, chunks, timeouts) => {
    const { body, cancelled } = endlessBody(...chunks);
    const error = await rejectionOf(generate(clientOf(body, { timeouts })).bytes());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ phase });
    expect(cancelled).toHaveBeenCalled();
  });

  it("can be cancelled by a signal, and is not read any further", async () => {
    const { body, cancelled, reads } = endlessBody(empty);
    const leaving = new AbortController();
    const call = generate(clientOf(body), { signal: leaving.signal }).bytes();
    await nextTurn();
    leaving.abort(new Error("left"));
    await expect(call).rejects.toThrow("left");
    expect(cancelled).toHaveBeenCalledOnce();
    // One read may be pending.
    await nextTurn();
    const before = reads();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(reads()).toBe(before);
  });

  it("ends the body of an error response in time", async () => {
    const { body } = endlessBody('{"message":"busy"', empty);
    const error = await rejectionOf(generate(clientOf(body, { timeouts: { stall: 20 } }, 503)).bytes());
    expect(error).toMatchObject({ status: 503, rawBody: '{"message":"busy"', cause: { phase: "stall" } });
  });

  it("causes no progress, and does not change the document", async () => {
    const onProgress = vi.fn();
    const chunks = [empty, pdf, empty, empty, "%%EOF", empty].map((chunk) =>
      typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk,
    );
    const { body } = new Response(Readable.toWeb(Readable.from(chunks)) as never);
    const bytes = await generate(clientOf(body), { onProgress }).bytes();
    expect(new TextDecoder().decode(bytes)).toBe(`${pdf}%%EOF`);
    expect(onProgress.mock.calls.map(([{ receivedBytes }]) => receivedBytes)).toEqual([9, 14]);
  });
});

describe("an endless body of single bytes that have already arrived", () => {
  it.each(["bytes", "blob"] as const)("can be cancelled by a signal while %s() reads it", async (output) => {
    const { body } = endlessBody(pdf, " ");
    const call = generate(clientOf(body), { signal: AbortSignal.timeout(20) })[output]();
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("reaches `timeouts.total`", async () => {
    const { body } = endlessBody(pdf, " ");
    const error = await rejectionOf(generate(clientOf(body, { timeouts: { total: 20 } })).bytes());
    expect(error).toMatchObject({ phase: "total" });
  });

  it("lets timers run while a loop reads its chunks", async () => {
    const { body } = endlessBody(pdf, " ");
    let isLate = false;
    setTimeout(() => {
      isLate = true;
    }, 1);
    for await (const chunk of generate(clientOf(body))) if (chunk.length > 0 && isLate) break;
    expect(isLate).toBe(true);
  });
});

describe("a chunk that is not a Uint8Array", () => {
  const chunks: [what: string, chunk: unknown, described: string][] = [
    ["a string", "%PDF-1.4", "a string"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["an array", [37, 80], "an array"],
    ["an ArrayBuffer", new ArrayBuffer(8), "an ArrayBuffer"],
    ["a DataView", new DataView(new ArrayBuffer(8)), "a DataView"],
    ["other numbers", new Uint16Array(8), "a Uint16Array"],
    ["a proxy", new Proxy(new Uint8Array(8), {}), "an Object"],
  ];
  for (const before of [[], [new TextEncoder().encode(pdf)]]) {
    it.each(chunks)(
      `is a ConfigurationError, after ${before.length} correct chunks: %s`,
      async (_what, chunk, described) => {
        const values: unknown[] = [...before, chunk];
        const cancelled = vi.fn();
        const read = async () => ({ done: values.length === 0, value: values.shift() });
        const body = { getReader: () => ({ read, cancel: cancelled }), cancel: cancelled };
        // Retries would not help.
        const client = clientOf(body, { retry: { limit: 2 } });
        const error = await rejectionOf(generate(client).bytes());
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain(`arrayBuffer(), got ${described}.`);
        expect(cancelled).toHaveBeenCalledOnce();
      },
    );
  }

  it.each([undefined, null, 1, {}])("is a ConfigurationError if a read returns %j", async (result) => {
    const body = { getReader: () => ({ read: async () => result, cancel() {} }), cancel() {} };
    expect(await rejectionOf(generate(clientOf(body)).bytes())).toBeInstanceOf(ConfigurationError);
  });

  it("is accepted if it is bytes of another realm or a Buffer", async () => {
    const { runInNewContext } = await import("node:vm");
    const foreign = runInNewContext(`Uint8Array.from(${JSON.stringify([...Buffer.from(pdf)])})`);
    const values = [foreign, Buffer.from("%%EOF")];
    const read = async () => ({ done: values.length === 0, value: values.shift() });
    const body = { getReader: () => ({ read, cancel() {} }), cancel() {} };
    expect((await generate(clientOf(body)).buffer()).toString()).toBe(`${pdf}%%EOF`);
  });
});

describe("a custom fetch whose response misbehaves", () => {
  const throws: () => never = () => {
    throw new Error("cannot be read");
  };

  it("causes a ConfigurationError if its body cannot be read, as that of an event emitter", async () => {
    const error = await rejectionOf(generate(clientOf({ pipe() {}, cancel() {} })).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("Uint8Array chunks or a working arrayBuffer(), got an Object");
  });

  it.each([
    ["throws", throws],
    ["returns nothing", () => undefined],
    ["rejects", async () => throws()],
  ])("can be cancelled if its `cancel` %s", async (_what, cancel) => {
    const { body } = endlessBody(empty);
    const reader = { ...body.getReader(), cancel };
    const leaving = new AbortController();
    const client = clientOf({ getReader: () => reader, cancel });
    const call = generate(client, { signal: leaving.signal }).bytes();
    await nextTurn();
    leaving.abort(new Error("left"));
    await expect(call).rejects.toThrow("left");
  });

  it.each([
    ["throw", { get: throws, forEach: throws }],
    [
      "are not strings",
      { get: (): number => 5, forEach: (visit: (...pair: unknown[]) => void) => visit({}, {}) },
    ],
    ["have no forEach", { get: (): null => null }],
  ])("still ends in an ApiError if its headers %s", async (_what, headers) => {
    const fetch = async () => ({ status: 404, type: "default", headers, body: null });
    const client = clientOf(null, { fetch });
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toMatchObject({ name: "NotFoundError", status: 404 });
  });
});
