import { describe, expect, it } from "vitest";
import { collectGarbage } from "../../bench/shared/collect-garbage.mjs";
import { PdfCheck } from "../../src/call/pdf-check.ts";
import { eventually } from "../support/eventually.ts";

describe("a PDF check's memory usage", () => {
  const heldBytes = () => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };

  it.each<[string, number, () => Uint8Array]>([
    ["100,000 chunks of one NUL byte each", 100_000, () => new Uint8Array(1)],
    ["50 chunks of 1 MB of NUL bytes each", 50, () => new Uint8Array(1_000_000)],
  ])("grows by less than 500 kB after %s", async (_, count, makeChunk) => {
    const verifier = new PdfCheck();
    verifier.update(Buffer.from("%PDF-"));
    const before = heldBytes();
    for (let left = count; left > 0; left--) verifier.update(makeChunk());
    // Polls, because memory is freed in the background.
    await eventually(() => heldBytes() - before < 500_000);
    expect(verifier.ends()).toBe(false);
  });
});
