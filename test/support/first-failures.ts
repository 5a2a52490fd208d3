import { isDeepStrictEqual } from "node:util";
import { expect, type TestContext } from "vitest";

/** The number of tests that fail for one cause. */
const limit = 5;

/**
 * The failures of a large table of tests. A mistake that affects the whole table fails its first tests. The others are skipped, so
 * that the table ends early and prints few failures.
 */
export class FirstFailures {
  /** The number of failed tests for each cause. */
  readonly #counts = new Map<string, number>();

  /** Skips a test before it starts, if enough others have failed for one cause. */
  skipAfterEnough(context: TestContext): void {
    for (const [cause, count] of this.#counts) if (count >= limit) skip(context, cause);
  }

  /** Expects a result. Skips the test instead if enough others have failed because the same properties differ. */
  expectEqual(context: TestContext, actual: object, expected: object): void {
    const cause = describeDifference(new Map(Object.entries(actual)), expected);
    const count = this.#counts.get(cause) ?? 0;
    if (cause !== "" && count >= limit) skip(context, cause);
    if (cause !== "") this.#counts.set(cause, count + 1);
    expect(actual).toEqual(expected);
  }
}

/** Names the properties that differ, for example "files, outcome: ConnectionError", or returns "" if none does. */
function describeDifference(actual: ReadonlyMap<string, unknown>, expected: object): string {
  return Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(actual.get(name), value))
    .map(([name]) => (typeof actual.get(name) === "object" ? name : `${name}: ${actual.get(name)}`))
    .join(", ");
}

function skip({ task, skip }: TestContext, cause: string): void {
  // Mutation tests repeat a test, each time with another mistake.
  if (!task.repeats) skip(`${limit} tests of this table have already failed (${cause}).`);
}
