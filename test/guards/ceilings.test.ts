import { describe, expect, it } from "vitest";
import { pdf } from "./memory-dispatcher.ts";
import { runProgram } from "./run-program.ts";

/**
 * What documents take. Nothing here is timed: the same source gives the same numbers on every Node, so each of them is
 * what it takes today, and only bytes, which have 2 % more, may be fewer. A change that needs more has to be worth it;
 * then write here what the failed test found, and say in the commit what it is for. A change that needs less lowers them.
 */
const promises = 8;

/**
 * The most of the heap, in bytes: allocated for a document, and held by a call whose answer has not come. By the even major
 * version of Node, because each V8 lays objects out in its own way. Some 420 of them are the headers by their names, which
 * only a dispatcher that is not the client's own gets, as here.
 */
const mostBytes: Readonly<Record<string, { readonly allocated: number; readonly held: number }>> = {
  20: { allocated: 12_092, held: 3_153 },
  22: { allocated: 11_604, held: 3_180 },
  24: { allocated: 10_948, held: 3_180 },
  26: { allocated: 10_764, held: 3_156 },
};

/** By 1,000 documents: one timer for the whole call, and one for each limit of an attempt that is shorter than the one before it. */
const timers = { setTimeout: 3_000, clearTimeout: 3_000 };

/** One at a time, every document adds a listener to the signal; 20 at a time share it. */
const alone = { ...timers, addEventListener: 1_000, removeEventListener: 1_000 };
const together = { ...timers, addEventListener: 50, removeEventListener: 50 };

describe("a document takes what it may", () => {
  it("of promises", async () => {
    expect(await runProgram("promises")).toBe(promises);
  });

  it("of the heap, and its own bytes but once", async () => {
    const { heap, outside } = (await runProgram("allocated-bytes")) as { heap: number; outside: number };
    expectUpTo(mostBytesHere().allocated, heap);
    expect(outside).toBe(pdf.length);
  });

  it("of the heap while it is awaited", async () => {
    expectUpTo(mostBytesHere().held, await runProgram("held-bytes"));
  });

  it("of timers and listeners", async () => {
    expect(await runProgram("timers-and-listeners")).toEqual({ alone, together });
  });
});

function mostBytesHere(): { readonly allocated: number; readonly held: number } {
  const major = Number.parseInt(process.versions.node, 10);
  // What is younger than the table is judged by its last line.
  const most = mostBytes[major - (major % 2)] ?? Object.values(mostBytes).at(-1);
  if (!most) throw new Error("There is no ceiling.");
  return most;
}

/** Less than half is no success: the program has not counted what it should. */
function expectUpTo(most: number, bytes: unknown): void {
  expect(bytes).toBeLessThanOrEqual(most);
  expect(bytes).toBeGreaterThan(most / 2);
}
