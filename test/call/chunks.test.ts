import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ChunkList, ChunkRelay } from "../../src/call/chunks.ts";
import { nextLoopTurn } from "../../src/runtime/timers.ts";
import { property } from "../support/fuzz.ts";

/** Chunks of these lengths. Every byte differs from its neighbours. */
function chunksOf(lengths: readonly number[]): Uint8Array[] {
  let next = 0;
  return lengths.map((length) => Uint8Array.from({ length }, () => next++ % 251));
}

/** The chunks and buffers that a list keeps for these chunks. */
function listOf(chunks: readonly Uint8Array[]): Uint8Array[] {
  const list = new ChunkList();
  for (const chunk of chunks) list.add(chunk);
  return list.take();
}

const lengths = fc.array(fc.oneof(fc.nat(20), fc.constantFrom(4095, 4096, 4097), fc.nat(10_000)), {
  maxLength: 12,
});

describe("A chunk list", () => {
  property("returns every byte in order, in one piece or in chunks", () =>
    fc.property(lengths, (sizes) => {
      const chunks = chunksOf(sizes);
      const whole = Buffer.concat(chunks);
      const [once, inPieces] = [new ChunkList(), new ChunkList()];
      for (const chunk of chunks) {
        once.add(chunk);
        inPieces.add(chunk);
      }
      expect({ once: once.byteLength, inPieces: inPieces.byteLength }).toEqual({
        once: whole.length,
        inPieces: whole.length,
      });
      const bytes = once.concatenate();
      expect(whole.equals(bytes)).toBe(true);
      expect(bytes.buffer.byteLength).toBe(whole.length);
      expect(whole.equals(Buffer.concat(inPieces.take()))).toBe(true);
      expect({ once: once.byteLength, takenAgain: once.take(), inPieces: inPieces.byteLength }).toEqual({
        once: 0,
        takenAgain: [],
        inPieces: 0,
      });
    }),
  );

  it("merges small chunks, drops empty chunks, and keeps large chunks unchanged", () => {
    const large = new Uint8Array(4096);
    const merged = listOf(Array.from({ length: 100_000 }, () => new Uint8Array(1)));
    expect(merged.length).toBeLessThan(30);
    expect(Buffer.concat(merged).length).toBe(100_000);
    expect(listOf([new Uint8Array(0), new Uint8Array(0)])).toEqual([]);
    expect(listOf([large])[0]).toBe(large);
  });

  it("uses at most twice its byte length plus 128 KiB of memory", () => {
    const slices = Array.from({ length: 100 }, () => Buffer.from(new ArrayBuffer(64 * 1024), 0, 4096));
    const buffers = new Set(listOf(slices).map(({ buffer }) => buffer));
    const heldBytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(heldBytes).toBeGreaterThanOrEqual(100 * 4096);
    expect(heldBytes).toBeLessThanOrEqual(2 * 100 * 4096 + 128 * 1024);
  });

  it.each([
    ["keeps", "128 KiB", 0, true],
    ["copies", "more than 128 KiB", 1, false],
  ])("%s a chunk whose buffer is %s larger than twice the chunk's size", (_, __, more, isKept) => {
    const chunk = new Uint8Array(2 * 4096 + 128 * 1024 + more).subarray(0, 4096);
    const next = new Uint8Array(4096);
    expect(listOf([chunk, next]).map((kept) => kept === chunk || kept === next)).toEqual([isKept, true]);
  });

  it.each([
    ["copies", "is too large to keep", 1024 * 1024, 2, 2],
    ["keeps", "is small enough", 64 * 1024, 16, 1],
  ])("%s all chunks of a shared buffer that %s", (_, __, size, count, bufferCount) => {
    const read = new Uint8Array(size);
    const chunks = listOf(
      Array.from({ length: count }, (_, at) => read.subarray(at * 4096, (at + 1) * 4096)),
    );
    const buffers = new Set(chunks.map(({ buffer }) => buffer));
    expect({ bufferCount: buffers.size, isReadBufferKept: buffers.has(read.buffer) }).toEqual({
      bufferCount,
      isReadBufferKept: bufferCount === 1,
    });
  });
});

describe("A chunk relay", () => {
  let taken: number[];
  /** How many bytes the reader wants. */
  let room: number;
  let relay: ChunkRelay;
  beforeEach(() => {
    taken = [];
    room = Number.POSITIVE_INFINITY;
    const wantsMore = () => taken.reduce((sum, length) => sum + length, 0) < room;
    relay = new ChunkRelay((chunk) => void taken.push(chunk.length), wantsMore);
  });

  const write = (length: number) => relay.write(new Uint8Array(length));

  it("forwards even a small first chunk immediately", () => {
    room = 1;
    expect(write(1)).toBe(false);
    expect(taken).toEqual([1]);
  });

  it("merges small chunks until the next turn of the event loop", async () => {
    expect([9, 1, 2, 3].map(write)).toEqual([true, true, true, true]);
    expect(taken).toEqual([9]);
    await nextLoopTurn();
    expect(taken).toEqual([9, 1, 5]);
    write(4);
    await nextLoopTurn();
    expect(taken).toEqual([9, 1, 5, 4]);
  });

  it("forwards a large chunk and all pending chunks immediately", async () => {
    [5_000, 1, 5_000].map(write);
    expect(taken).toEqual([5_000, 1, 5_000]);
    await nextLoopTurn();
    expect(taken).toEqual([5_000, 1, 5_000]);
  });

  it("requests a pause when its reader has enough bytes", async () => {
    room = 10;
    const answers: boolean[] = [];
    for (const length of [9, 1, 1]) {
      answers.push(write(length));
      await nextLoopTurn();
    }
    expect(answers).toEqual([true, true, false]);
  });

  it("does not need the timers of the caller, which may be fake", async () => {
    vi.useFakeTimers();
    [9, 1].map(write);
    await nextLoopTurn();
    vi.useRealTimers();
    expect(taken).toEqual([9, 1]);
  });

  it.each([
    ["forwards the remaining chunks on `flush()`", () => relay.flush(), [2, 1]],
    ["forwards nothing after `drop()`", () => relay.drop(), [2]],
  ])("%s", async (_, end, expected) => {
    [2, 1].map(write);
    end();
    end();
    await nextLoopTurn();
    expect(taken).toEqual(expected);
  });

  property("forwards every byte in order, whenever an event loop turn ends", () =>
    fc.asyncProperty(
      lengths,
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      async (sizes, turns) => {
        const chunks = chunksOf(sizes);
        const forwarded: Uint8Array[] = [];
        const forward = (chunk: Uint8Array) => void forwarded.push(chunk.slice());
        const anyRelay = new ChunkRelay(forward, () => true);
        for (const [index, chunk] of chunks.entries()) {
          anyRelay.write(chunk);
          if (turns[index]) await nextLoopTurn();
        }
        anyRelay.flush();
        expect(Buffer.concat(forwarded).equals(Buffer.concat(chunks))).toBe(true);
      },
    ),
  );
});
