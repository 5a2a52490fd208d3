import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These files take longest and run first. In a new clone, Vitest does not know their durations yet. */
const longest = [
  "faults/faults.page",
  "emulator/runaway-templates.slow",
  "cli/bulk/bulk-refusals",
  "emulator/example-templates.slow",
  "emulator/refusals.slow",
  "bulk/outages",
  "timeouts/phases.page",
  "timeouts/total.page",
  "package/cli",
  "package/types",
  "package/runtime",
  "runtimes/types/written-types",
  "runtimes/types/editor",
].map((name) => `${name}.test.ts`);

for (const name of longest) {
  if (!existsSync(new URL(`../${name}`, import.meta.url)))
    throw new Error(`${name} does not exist: correct its name.`);
}

/**
 * Runs the longest files first, then all others in an order that only `--sequence.seed` changes, because files must not depend on
 * each other.
 */
export class AnyOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed = 1 } = this.ctx.config.sequence;
    this.ctx.logger.log(`Test files are in the order of --sequence.seed=${seed}`);
    const keys = new Map(files.map((file) => [file, keyOf(file, seed)]));
    return files.toSorted((one, other) => (keys.get(one) ?? "").localeCompare(keys.get(other) ?? ""));
  }
}

function keyOf({ moduleId }: TestSpecification, seed: number): string {
  const path = moduleId.replace(/^.*\/test\//, "");
  const rank = longest.indexOf(path);
  const hash = createHash("sha256").update(`${seed} ${path}`).digest("hex");
  return rank < 0 ? `z${hash}` : String.fromCharCode("a".charCodeAt(0) + rank);
}
