import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

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
    const sorted = await super.sort(files);
    const together = sorted.filter(sharesProcess).sort(this.#compare);
    if (together.length > 1)
      this.ctx.logger.log(`source-together in the order of --sequence.seed=${this.#seed}`);
    return sorted.map((file) => (sharesProcess(file) ? (together.shift() ?? file) : file));
  }

  readonly #compare = (one: TestSpecification, other: TestSpecification): number =>
    this.#placeOf(one).localeCompare(this.#placeOf(other));

  #placeOf({ moduleId }: TestSpecification): string {
    const path = moduleId.replace(/^.*\/test\//, "");
    return createHash("sha256").update(`${this.#seed} ${path}`).digest("hex");
  }
}

function sharesProcess({ project }: TestSpecification): boolean {
  return !project.config.isolate;
}
