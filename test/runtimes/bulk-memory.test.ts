import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject, runNode } from "../package/consumer.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const megabyte = 1024 * 1024;

/** What the journal remembers of a job: 24 bytes of hashes and 4 of its place, in tables that are up to four times as large. */
const rememberedBytes = 160;

it.each([
  ["generateMany", 200_000, 0],
  ["runBulk", 100_000, rememberedBytes],
])(
  "%s over %i jobs needs no more memory at its end than when a tenth of it was done",
  {
    timeout: 240_000,
  },
  async (kind, count, perJobBytes) => {
    const { path, remove } = makeTemporaryFolder("memory");
    onTestFinished(remove);
    const program = readFileSync(join(import.meta.dirname, "bulk/memory.mjs"), "utf8");
    const project = makeProject(`bulk-memory-${kind}`, { "memory.mjs": program });
    const settings = JSON.stringify({ kind, count, journal: join(path, "run.journal") });
    const { done, measured, warnings } = JSON.parse(
      await runNode(project, "--expose-gc", "memory.mjs", settings),
    );
    const [early, late] = measured;
    expect({ done, warnings }).toEqual({ done: count, warnings: [] });
    expect(late.ownBytes - early.ownBytes).toBeLessThan(2 * megabyte + count * perJobBytes);
    // What the process has once had it keeps, whether it needs it or not.
    expect(late.rss - early.rss).toBeLessThan(64 * megabyte + count * perJobBytes);
  },
);
