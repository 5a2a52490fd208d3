import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject, runNode } from "../package/consumer.ts";

const { FUZZ_SEED, FUZZ_RUNS = "30" } = process.env;
const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);

it("No answer, header or argument of 256 kB blocks the event loop for 100 ms", {
  timeout: 600_000,
}, async () => {
  const program = readFileSync(join(import.meta.dirname, "hostile-texts/measure.mjs"), "utf8");
  const project = makeProject("hostile-texts", { "measure.mjs": program });
  const templates = join(import.meta.dirname, "../../examples/templates");
  const settings = { seed, runs: Number(FUZZ_RUNS), length: 256 * 1024, templates };
  const printed = await runNode(project, "measure.mjs", JSON.stringify(settings));
  const worst = Object.entries(JSON.parse(printed) as Record<string, { blockedMs: number; text: string }>);
  expect(worst.length).toBeGreaterThan(10);
  const slow = worst.filter(([, { blockedMs }]) => blockedMs > 100);
  expect(slow, `with FUZZ_SEED=${seed}`).toEqual([]);
});
