import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChunkList, ChunkRelay } from "../src/call/chunks.ts";
import { nodeOutputs } from "../src/document/node-outputs.ts";
import { webStreamOf } from "../src/document/web-stream.ts";
import { property } from "./support/fuzz.ts";
import { Wire } from "./support/wire.ts";

/** Chunks of these lengths, all of their bytes different from their neighbours'. */
function chunksOf(lengths: readonly number[]): Uint8Array[] {
  let next = 0;
  return lengths.map((length) => Uint8Array.from({ length }, () => next++ % 251));
}

const lengths = fc.array(fc.oneof(fc.nat(20), fc.constantFrom(4095, 4096, 4097), fc.nat(10_000)), {
  maxLength: 12,
});

describe("A list of chunks", () => {
  property("gives back every byte in its order, in one piece or in chunks", () =>
    fc.property(lengths, (sizes) => {
      const chunks = chunksOf(sizes);
      const whole = Buffer.concat(chunks);
      const [once, inPieces] = [new ChunkList(), new ChunkList()];
      for (const chunk of chunks) {
        once.add(chunk);
        inPieces.add(chunk);
      }
      expect([once.byteLength, inPieces.byteLength]).toEqual([whole.length, whole.length]);
      const bytes = once.concatenate();
      expect(whole.equals(bytes)).toBe(true);
      expect(bytes.buffer.byteLength).toBe(whole.length);
      expect(whole.equals(Buffer.concat(inPieces.take()))).toBe(true);
      expect([once.byteLength, once.take(), inPieces.byteLength]).toEqual([0, [], 0]);
    }),
  );

  it("keeps few chunks of many small ones", () => {
    const list = new ChunkList();
    for (let left = 1_000_000; left > 0; left--) list.add(new Uint8Array(1));
    expect(list.take().length).toBeLessThan(250);
  });

  it("keeps no empty chunk", () => {
    const list = new ChunkList();
    for (let left = 10; left > 0; left--) list.add(new Uint8Array(0));
    expect(list.take()).toEqual([]);
  });

  it("keeps a large chunk as it is", () => {
    const chunk = new Uint8Array(4096);
    const list = new ChunkList();
    list.add(chunk);
    expect(list.take()[0]).toBe(chunk);
  });

  it("holds at most about twice as much memory as it has bytes, when chunks are a small part of what was read", () => {
    const list = new ChunkList();
    for (let left = 100; left > 0; left--) list.add(new Uint8Array(64 * 1024).subarray(0, 4096));
    const buffers = new Set(list.take().map(({ buffer }) => buffer));
    const heldBytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(heldBytes).toBeLessThanOrEqual(2 * 100 * 4096 + 128 * 1024);
  });

  it.each([
    ["keeps", "128 KiB", 0, true],
    ["copies", "more than 128 KiB", 1, false],
  ])("%s a chunk that keeps %s alive beyond twice its size", (_, __, more, isKept) => {
    const chunk = new Uint8Array(2 * 4096 + 128 * 1024 + more).subarray(0, 4096);
    const list = new ChunkList();
    list.add(chunk);
    expect(list.take()[0] === chunk).toBe(isKept);
  });

  it("copies every chunk of a read that is too large to keep", () => {
    const read = new Uint8Array(1024 * 1024);
    const list = new ChunkList();
    list.add(read.subarray(0, 4096));
    list.add(read.subarray(4096, 8192));
    expect(list.take().map(({ buffer }) => buffer.byteLength)).toEqual([4096, 4096]);
  });

  it("keeps all chunks of one read as they are", () => {
    const read = new Uint8Array(64 * 1024);
    const list = new ChunkList();
    for (let at = 0; at < read.length; at += 4096) list.add(read.subarray(at, at + 4096));
    expect(new Set(list.take().map(({ buffer }) => buffer))).toEqual(new Set([read.buffer]));
  });
});

describe("A relay of chunks", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A relay whose reader wants more until it was given `room` bytes. */
  const relayInto = (taken: number[], room = Number.POSITIVE_INFINITY) =>
    new ChunkRelay(
      (chunk) => void taken.push(chunk.length),
      () => taken.reduce((sum, length) => sum + length, 0) < room,
    );

  it("forwards the first chunk immediately, however small it is, and sets no timer for it", () => {
    const taken: number[] = [];
    expect(relayInto(taken, 1).write(new Uint8Array(1))).toBe(false);
    expect([taken, vi.getTimerCount()]).toEqual([[1], 0]);
  });

  it("merges small chunks until the next turn of the event loop", () => {
    const taken: number[] = [];
    const relay = relayInto(taken);
    for (const length of [9, 1, 2, 3]) expect(relay.write(new Uint8Array(length))).toBe(true);
    expect([taken, vi.getTimerCount()]).toEqual([[9], 1]);
    vi.runAllTimers();
    expect(taken).toEqual([9, 1, 5]);
    relay.write(new Uint8Array(4));
    vi.runAllTimers();
    expect(taken).toEqual([9, 1, 5, 4]);
  });

  it("forwards a large chunk immediately, behind the small ones before it, and leaves no timer", () => {
    const taken: number[] = [];
    const relay = relayInto(taken);
    relay.write(new Uint8Array(5_000));
    relay.write(new Uint8Array(1));
    relay.write(new Uint8Array(5_000));
    expect([taken, vi.getTimerCount()]).toEqual([[5_000, 1, 5_000], 0]);
  });

  it("asks to wait as soon as its reader has enough, also for a chunk that it merges", () => {
    const taken: number[] = [];
    const relay = relayInto(taken, 10);
    const answers = [9, 1, 1].map((length) => {
      const answer = relay.write(new Uint8Array(length));
      vi.runAllTimers();
      return answer;
    });
    expect(answers).toEqual([true, true, false]);
  });

  it("forwards what is left when it is flushed, and leaves no timer", () => {
    const taken: number[] = [];
    const relay = relayInto(taken);
    relay.write(new Uint8Array(2));
    relay.write(new Uint8Array(1));
    relay.flush();
    relay.flush();
    expect([taken, vi.getTimerCount()]).toEqual([[2, 1], 0]);
  });

  it("forwards nothing once it is dropped", () => {
    const taken: number[] = [];
    const relay = relayInto(taken);
    relay.write(new Uint8Array(2));
    relay.write(new Uint8Array(1));
    relay.drop();
    vi.runAllTimers();
    expect([taken, vi.getTimerCount()]).toEqual([[2], 0]);
  });

  it("forwards small chunks again after fake timers were removed", async () => {
    const taken: number[] = [];
    const relay = relayInto(taken);
    relay.write(new Uint8Array(2));
    relay.write(new Uint8Array(1));
    vi.useRealTimers();
    relay.write(new Uint8Array(1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(taken).toEqual([2, 1, 1]);
  });

  property("forwards every byte in its order, whenever the event loop comes round", () =>
    fc.property(lengths, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (sizes, turns) => {
      const chunks = chunksOf(sizes);
      const taken: Uint8Array[] = [];
      const relay = new ChunkRelay(
        (chunk) => void taken.push(chunk.slice()),
        () => true,
      );
      for (const [index, chunk] of chunks.entries()) {
        relay.write(chunk);
        if (turns[index]) vi.runAllTimers();
      }
      relay.flush();
      expect(Buffer.concat(taken).equals(Buffer.concat(chunks))).toBe(true);
    }),
  );
});

describe("A stream of small chunks that nobody reads", () => {
  it.each([
    ["web", (wire: Wire) => webStreamOf(wire.body, "stream()")],
    ["Node", (wire: Wire) => nodeOutputs.toReadable(wire.body)],
  ])("pauses the wire at 64 KiB, with an event loop turn between the chunks: %s", async (_, open) => {
    const wire = new Wire();
    const stream = open(wire);
    let bytes = 0;
    while (!wire.paused && bytes < 1_000_000) {
      wire.chunk(1_000);
      bytes += 1_000;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    expect(wire.paused).toBe(true);
    expect(bytes).toBeLessThanOrEqual(72 * 1024);
    // A reader that comes late gets everything.
    wire.backlog.push(() => wire.end());
    let read = 0;
    for await (const chunk of stream as AsyncIterable<Uint8Array>) read += chunk.length;
    expect(read).toBe(bytes);
  });
});
