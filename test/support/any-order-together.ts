import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/**
 * They take longest, the longest first, and begin first: those that wait beside those that work. Vitest knows the longest only from a
 * run before, and in a new clone begins with the largest files.
 */
const longest = [
  "faults/faults",
  "emulator/runaway-templates",
  "types/editor",
  "client/timeouts-connect",
  "client/timeouts-stall",
  "client/timeouts-leftovers",
  "package/projects",
  "package/types",
  "package/terminal-examples",
  "package/runtime",
  "package/types-command",
  "package/guide-types",
].map((name) => `${name}.test.ts`);

/**
 * Runs the files that share processes in another order each time, so that what one of them leaves behind shows in the next. All
 * others keep their places, the longest first. `--sequence.seed` repeats an order.
 */
export class AnyOrderTogether extends BaseSequencer {
  readonly #seed: number;

  constructor(vitest: Vitest) {
    super(vitest);
    // Vitest makes one of its own only where it shuffles everything: a single project cannot ask for it.
    this.#seed = vitest.config.sequence.seed ?? Date.now();
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
    const together = sorted.filter(sharesProcess).sort(this.#compare);
    if (together.length > 1)
      this.ctx.logger.log(`source-together in the order of --sequence.seed=${this.#seed}`);
    return sorted.map((file) => (sharesProcess(file) ? (together.shift() ?? file) : file));
  }

  readonly #compare = (one: TestSpecification, other: TestSpecification): number =>
    this.#placeOf(one).localeCompare(this.#placeOf(other));

  #placeOf({ moduleId }: TestSpecification): string {
    return createHash("sha256")
      .update(`${this.#seed} ${pathOf(moduleId)}`)
      .digest("hex");
  }
}

/** Its place among the longest, or the one behind them. */
function rankOf({ moduleId }: TestSpecification): number {
  const place = longest.indexOf(pathOf(moduleId));
  return place < 0 ? longest.length : place;
}

function pathOf(moduleId: string): string {
  return moduleId.replace(/^.*\/test\//, "");
}

function sharesProcess({ project }: TestSpecification): boolean {
  return !project.config.isolate;
}
