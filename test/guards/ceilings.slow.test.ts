import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleSource } from "../support/bundle-source.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import type { Measurement } from "./program.ts";

// These tests do not depend on speed. The same source returns the same numbers for each version of Node, so each limit is the
// current measurement. If a change needs more, raise the limit and explain it in the commit. If it needs less, lower the limit.

/**
 * `allocated`: heap bytes per document. `held`: heap bytes per waiting call. Major versions of Node differ,
 * because V8 changes the layout of objects. About 580 bytes are headers by name, which only a custom
 * dispatcher receives. These tests use such a dispatcher.
 */
const limits: Readonly<Record<string, { readonly allocated: number; readonly held: number }>> = {
  20: { allocated: 10_458, held: 2_632 },
  22: { allocated: 10_131, held: 2_615 },
  24: { allocated: 9_499, held: 2_615 },
  26: { allocated: 9_323, held: 2_591 },
};

/**
 * Flags with which memory usage is exactly reproducible under any load: code is not compiled, so every run allocates the same; the
 * young generation is not collected; and there are no other threads.
 */
const steady = ["--jitless", "--single-threaded", "--min-semi-space-size=128", "--max-semi-space-size=128"];

const folder = makeTemporaryFolder("guards");
const outfile = join(folder.path, "program.mjs");
// A static import would be removed, because `sideEffects` of this package is false.
const contents = 'await import("./test/guards/program.ts");';
beforeAll(() => bundleSource(contents, outfile, { external: ["undici"] }));
afterAll(folder.remove);

async function run(measurement: Measurement): Promise<unknown> {
  const { NODE_OPTIONS, NODE_V8_COVERAGE, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [...steady, outfile, measurement], { env });
  return JSON.parse(stdout);
}

describe("generating a document", () => {
  const major = Number.parseInt(process.versions.node, 10);
  // Newer versions of Node have the limits of the newest version above.
  const limit = limits[major - (major % 2)] ?? Object.values(limits).at(-1) ?? expect.fail();

  /** A number below half of the limit means that the program did not measure anything. */
  function expectUpTo(maximum: number, bytes: unknown): void {
    expect(bytes).toBeLessThanOrEqual(maximum);
    expect(bytes).toBeGreaterThan(maximum / 2);
  }

  it("creates six promises", async () => {
    expect(await run("promises")).toBe(6);
  });

  it("keeps heap allocations within the limit", async () => {
    const { heap, outside } = (await run("allocated")) as { heap: number; outside: number };
    expectUpTo(limit.allocated, heap);
    expect(outside).toBe(2_000);
  });

  it("keeps heap usage within the limit while the call waits", async () => {
    expectUpTo(limit.held, await run("held"));
  });
});
