import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { BlobSink, BytesSink } from "../src/document/memory-sink.ts";
import type { Bytes } from "../src/runtime/platform-types.ts";
import { property } from "./support/fuzz.ts";
import { Wire } from "./support/wire.ts";

describe("a document in memory", () => {
  const collect = (wire: Wire, promisedBytes: number | undefined, maxBytes: number) =>
    new Promise<Bytes>((resolve) => {
      const expected = { contentLength: promisedBytes, maxBytes, oversized: () => "oversized" };
      wire.body.read("bytes()", new BytesSink(wire.body, expected, resolve));
    });

  property("is every byte that came, whatever length was promised, and never more than is allowed", () => {
    const sizes = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 });
    const promises = fc.option(fc.nat(120), { nil: undefined });
    const limits = fc.integer({ min: 1, max: 150 });
    return fc.asyncProperty(sizes, promises, limits, async (lengths, promised, maxBytes) => {
      const length = lengths.reduce((sum, size) => sum + size, 0);
      // An end before what was promised is the attempt's to refuse.
      fc.pre(length >= (promised ?? 0));
      const wire = new Wire();
      const result = collect(wire, promised, maxBytes);
      for (const size of lengths) wire.chunk(size);
      wire.end();
      if (length > maxBytes) {
        await expect(result).rejects.toBe("oversized");
        return;
      }
      const bytes = await result;
      expect(Buffer.concat(wire.sent).equals(bytes)).toBe(true);
      expect(bytes.buffer.byteLength, "owns its memory").toBe(length);
    });
  });

  it("may be exactly as long as is allowed, promised or not", async () => {
    for (const promised of [100, undefined]) {
      const wire = new Wire();
      const result = collect(wire, promised, 100);
      wire.chunk(60);
      wire.chunk(40);
      wire.end();
      expect((await result).length).toBe(100);
    }
  });

  /** How large every piece of memory is that is taken while something runs. */
  const allocations = async (run: () => Promise<unknown>): Promise<number[]> => {
    const sizes: number[] = [];
    const Noting = class extends Uint8Array {
      constructor(...given: [number]) {
        super(...given);
        if (typeof given[0] === "number") sizes.push(given[0]);
      }
    };
    vi.stubGlobal("Uint8Array", Noting);
    await run().finally(() => vi.unstubAllGlobals());
    return sizes;
  };

  it("takes its memory once where its length is promised, and believed", async () => {
    const believed = 256 * 1024 * 1024;
    for (const [promised, taken] of [
      [100, [100]],
      [believed, [believed]],
      // Small chunks behind the first are copied together: into a block, and out of it.
      [believed + 1, [4096, 100, 40]],
      [2 ** 52, [4096, 100, 40]],
      [undefined, [4096, 100, 40]],
    ] as const) {
      const wire = new Wire();
      const chunks = [60, 40].map((size) => new Uint8Array(size));
      const sizes = await allocations(async () => {
        const result = collect(wire, promised, Number.MAX_SAFE_INTEGER);
        for (const chunk of chunks) wire.body.write(chunk);
        wire.end();
        await result;
      });
      expect(sizes).toEqual(taken);
    }
  });

  it("is copied, without an empty allocation first, if it arrives in one piece", async () => {
    const wire = new Wire();
    const chunk = Uint8Array.of(1, 2, 3);
    let bytes: Uint8Array | undefined;
    const sizes = await allocations(async () => {
      const result = collect(wire, 3, 100);
      wire.body.write(chunk);
      wire.end();
      bytes = await result;
    });
    expect([...(bytes ?? [])]).toEqual([1, 2, 3]);
    expect(bytes?.buffer).not.toBe(chunk.buffer);
    expect(sizes).toEqual([]);
  });

  it("keeps every byte if a later chunk is as long as the whole was promised to be", async () => {
    const wire = new Wire();
    const result = collect(wire, 100, 1_000);
    wire.chunk(40);
    wire.chunk(100);
    wire.end();
    expect(Buffer.concat(wire.sent).equals(await result)).toBe(true);
  });

  it("is empty if no byte came", async () => {
    const wire = new Wire();
    const result = collect(wire, undefined, 100);
    wire.end();
    expect(await result).toHaveLength(0);
  });

  it("is no stream", () => {
    const { body } = new Wire();
    const expected = { contentLength: 1, maxBytes: 1, oversized: () => "oversized" };
    expect(new BytesSink(body, expected, vi.fn()).isStream).toBe(false);
  });

  it("is refused at its first byte when more is promised than is allowed", async () => {
    const wire = new Wire();
    const result = collect(wire, 101, 100);
    wire.chunk(1);
    await expect(result).rejects.toBe("oversized");
    expect(wire.aborted).toBe(true);
  });
});

describe("a document that fails", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;

  const withResolver = () => {
    let resolve: (whole: unknown) => void = () => {};
    const promise = new Promise<unknown>((resolvePromise) => {
      resolve = resolvePromise;
    });
    return { promise, resolve };
  };

  it.each([
    ["bytes()", BytesSink],
    ["blob()", BlobSink],
  ])("leaves none of its bytes in memory, though %s is still held", async (output, MemorySink) => {
    const { body } = new Wire();
    const limits = { contentLength: undefined, maxBytes: 100_000, oversized: () => "oversized" };
    const { promise, resolve } = withResolver();
    const sink = new MemorySink(body, limits, resolve);
    body.read(output, sink);
    const written = (() => {
      const chunk = new Uint8Array(10_000);
      body.write(chunk);
      return new WeakRef(chunk);
    })();
    body.fail("broken");
    await expect(promise).rejects.toBe("broken");
    // A `WeakRef` holds its target until the current turn ends.
    await new Promise((resolve) => setTimeout(resolve, 0));
    collectGarbage();
    expect(written.deref()).toBeUndefined();
    expect(sink.isStream).toBe(false);
  });
});

describe("a document as a Blob", () => {
  const collect = (wire: Wire) =>
    new Promise<Blob>((resolve) => {
      const expected = { contentLength: undefined, maxBytes: 1_000, oversized: () => "oversized" };
      wire.body.read("blob()", new BlobSink(wire.body, expected, resolve));
    });

  it("is every byte that came, and a PDF by its type", async () => {
    const wire = new Wire();
    const result = collect(wire);
    for (const size of [7, 1, 300]) wire.chunk(size);
    wire.end();
    const blob = await result;
    expect(blob.type).toBe("application/pdf");
    expect(Buffer.concat(wire.sent).equals(new Uint8Array(await blob.arrayBuffer()))).toBe(true);
  });

  it("rejects with what the runtime throws where it cannot be made", async () => {
    const wire = new Wire();
    const result = collect(wire);
    wire.chunk(7);
    const failure = new RangeError("Array buffer allocation failed");
    vi.stubGlobal("Blob", function NoBlob() {
      throw failure;
    });
    wire.end();
    vi.unstubAllGlobals();
    await expect(result).rejects.toBe(failure);
  });
});
