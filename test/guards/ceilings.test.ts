import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleSource } from "../support/bundle-source.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { pdf } from "./calls.ts";

// Nothing here is timed: the same source gives the same numbers on every Node, so each ceiling is what a document takes
// today. A change that needs more has to be worth it: write here what the failed test found, and say in the commit why.
// A change that needs less lowers the ceiling.

/**
 * Bytes of the heap: allocated for a document, and held by a call that waits for its response. By the even major version
 * of Node, because each V8 lays objects out in its own way. About 420 are the headers by name, which only a dispatcher of
 * the user gets, as here.
 */
const mostBytes: Readonly<Record<string, { readonly allocated: number; readonly held: number }>> = {
  20: { allocated: 12_092, held: 3_154 },
  22: { allocated: 11_604, held: 3_180 },
  24: { allocated: 10_948, held: 3_180 },
  26: { allocated: 10_764, held: 3_156 },
};

/** For 1,000 documents: a timer for the whole call, and one for each limit of an attempt shorter than the one before. */
const timers = { setTimeout: 3_000, clearTimeout: 3_000 };

/**
 * Flags that make memory the same to the byte, under any load: code that is never compiled allocates the same at its
 * first and its thousandth run, the young generation is never collected, and no other thread works.
 */
const steady = ["--jitless", "--single-threaded", "--min-semi-space-size=128", "--max-semi-space-size=128"];

/** Runs a program of this folder with plain Node and returns the JSON that it prints. */
async function run(name: string): Promise<unknown> {
  const folder = makeTemporaryFolder("guards");
  onTestFinished(folder.remove);
  const outfile = join(folder.path, `${name}.mjs`);
  // A static import of a file of this package would be dropped: `sideEffects` is false.
  await bundleSource(`await import("./test/guards/programs/${name}.ts");`, outfile, { external: ["undici"] });
  const { NODE_OPTIONS, NODE_V8_COVERAGE, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [...steady, outfile], { env });
  return JSON.parse(stdout);
}

describe("a document", () => {
  const major = Number.parseInt(process.versions.node, 10);
  // A newer Node has the ceilings of the newest one here.
  const most = mostBytes[major - (major % 2)] ?? Object.values(mostBytes).at(-1) ?? expect.fail();

  /** Less than half means that the program did not count. */
  function expectUpTo(ceiling: number, bytes: unknown): void {
    expect(bytes).toBeLessThanOrEqual(ceiling);
    expect(bytes).toBeGreaterThan(ceiling / 2);
  }

  it("takes eight promises", async () => {
    expect(await run("promises")).toBe(8);
  });

  it("allocates no more of the heap than it may, and its own bytes once", async () => {
    const { heap, outside } = (await run("allocated-bytes")) as { heap: number; outside: number };
    expectUpTo(most.allocated, heap);
    expect(outside).toBe(pdf.length);
  });

  it("holds no more of the heap than it may while its call waits", async () => {
    expectUpTo(most.held, await run("held-bytes"));
  });

  it("takes three timers, and a listener that documents in flight share", async () => {
    expect(await run("timers-and-listeners")).toEqual({
      alone: { ...timers, addEventListener: 1_000, removeEventListener: 1_000 },
      together: { ...timers, addEventListener: 50, removeEventListener: 50 },
    });
  });
});
