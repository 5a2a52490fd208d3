import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { MemorySink } from "../../src/document/memory-sink.ts";
import { property } from "../support/fuzz.ts";
import { later } from "../support/sockets.ts";
import { Wire } from "../support/wire.ts";

const mebibyte = 1024 * 1024;

/** Collects a document with a declared length. */
function collectWith(wire: Wire, contentLength?: number, maxBytes = 100_000) {
  const limits = { contentLength, maxBytes, oversized: () => "oversized" };
  const { promise: result, resolve, reject } = later<Uint8Array>();
  const sink = new MemorySink(wire.body, limits, resolve, reject);
  wire.body.read("bytes()", sink);
  return { result, sink };
}

const collect = (...given: [wire: Wire, contentLength?: number, maxBytes?: number]) =>
  collectWith(...given).result;

describe("A document that is read as bytes", () => {
  property(
    "is complete unless it exceeds the limit, whatever length was declared",
    (saw) => {
      const sizes = fc.array(fc.nat(40), { maxLength: 6 });
      const promises = fc.option(fc.nat(120), { nil: undefined });
      const limits = fc.integer({ min: 1, max: 150 });
      return fc.asyncProperty(sizes, promises, limits, async (lengths, promised, maxBytes) => {
        const length = lengths.reduce((sum, size) => sum + size, 0);
        // The attempt refuses a document that is shorter than declared.
        fc.pre(length >= (promised ?? 0));
        const wire = new Wire();
        const result = collect(wire, promised, maxBytes);
        for (const size of lengths) wire.chunk(size);
        wire.end();
        if (length > maxBytes) {
          await expect(result).rejects.toBe("oversized");
          return saw("oversized");
        }
        if (length > 0) saw(promised === undefined ? "no declared length" : "a declared length");
        const bytes = await result;
        expect(Buffer.concat(wire.sent).equals(bytes)).toBe(true);
        expect(bytes.buffer.byteLength, "owns its memory").toBe(length);
      });
    },
    { outcomes: ["oversized", "no declared length", "a declared length"] },
  );

  it.each([
    ["one buffer of the declared length", 100, [100]],
    ["one buffer of the declared length even if the length is 256 MiB", 256 * mebibyte, [256 * mebibyte]],
    // Small chunks that follow are merged in a block and copied out of it.
    ["several buffers if the declared length exceeds 256 MiB", 256 * mebibyte + 1, [4096, 100, 40]],
  ])("is collected in %s", async (_, promised, expected) => {
    const chunks = [60, 40].map((size) => new Uint8Array(size));
    expect(await allocations(chunks, promised)).toEqual(expected);
  });

  it("is copied into uninitialized memory if it arrives as one chunk", async () => {
    const wire = new Wire();
    const chunk = Uint8Array.of(1, 2, 3);
    const result = collect(wire, 3);
    wire.body.write(chunk);
    wire.end();
    const bytes = await result;
    expect([...bytes]).toEqual([1, 2, 3]);
    expect(bytes.buffer).not.toBe(chunk.buffer);
    expect(await allocations([chunk], 3)).toEqual([]);
  });

  it("is rejected at its first byte if its declared length exceeds the limit", async () => {
    const wire = new Wire();
    const result = collect(wire, 101, 100);
    wire.chunk(1);
    await expect(result).rejects.toBe("oversized");
    expect(wire.aborted).toBe(true);
  });
});

/** The sizes of all arrays allocated by length while chunks are collected. */
async function allocations(chunks: readonly Uint8Array[], promised: number | undefined): Promise<number[]> {
  const sizes: number[] = [];
  class Recorded extends Uint8Array {
    constructor(...given: [number]) {
      super(...given);
      if (typeof given[0] === "number") sizes.push(given[0]);
    }
  }
  const wire = new Wire();
  vi.stubGlobal("Uint8Array", Recorded);
  const result = collect(wire, promised, Number.MAX_SAFE_INTEGER);
  for (const chunk of chunks) wire.body.write(chunk);
  wire.end();
  await result.finally(() => vi.unstubAllGlobals());
  return sizes;
}

it("A document that is read as bytes fails with the runtime's error if the memory for it cannot be allocated", async () => {
  const wire = new Wire();
  const result = collect(wire);
  wire.chunk(7);
  const failure = new RangeError("Array buffer allocation failed");
  vi.stubGlobal("Uint8Array", function NoArray() {
    throw failure;
  });
  wire.end();
  vi.unstubAllGlobals();
  await expect(result).rejects.toBe(failure);
});

it("A failed document does not stay in memory even if its sink is still referenced", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const wire = new Wire();
  const { result, sink } = collectWith(wire);
  const written = (() => {
    const chunk = new Uint8Array(10_000);
    wire.body.write(chunk);
    return new WeakRef(chunk);
  })();
  wire.body.fail("broken");
  await expect(result).rejects.toBe("broken");
  // A `WeakRef` holds its target until the current turn ends.
  await new Promise((resolve) => setTimeout(resolve, 0));
  collectGarbage();
  expect(written.deref()).toBeUndefined();
  expect(sink.isStream).toBe(false);
});
