import { expect, it, type TestContext } from "vitest";
import { FirstFailures } from "../support/first-failures.ts";

const skipped = "skipped";

/** A test of the table. `skip` ends a test with an error, as Vitest does. */
function contextOf(repeats?: number): TestContext {
  const skip = () => {
    throw new Error(skipped);
  };
  return { task: { repeats }, skip } as unknown as TestContext;
}

/** Runs tests of a table whose results have one file too many. Returns their messages. */
function failuresOf(count: number, table: FirstFailures, context = contextOf()): string[] {
  return Array.from({ length: count }, () => {
    try {
      table.expectEqual(context, { outcome: "whole", files: ["draft"] }, { outcome: "whole", files: [] });
      return "passed";
    } catch (error) {
      return (error as Error).message === skipped ? skipped : "failed";
    }
  });
}

it("a table skips a test after five have failed because of the same property", () => {
  const table = new FirstFailures();
  expect(failuresOf(7, table)).toEqual([...Array(5).fill("failed"), skipped, skipped]);
  expect(() => table.skipAfterEnough(contextOf())).toThrow(skipped);
});

it("a table starts every test before five have failed for one cause", () => {
  const table = new FirstFailures();
  failuresOf(4, table);
  for (const outcome of ["a", "b", "c", "d"]) {
    expect(() => table.expectEqual(contextOf(), { outcome }, { outcome: "whole" })).toThrow("deeply equal");
  }
  expect(() => table.skipAfterEnough(contextOf())).not.toThrow();
});

it("a table does not skip a repeated test, because mutation tests repeat it with other mistakes", () => {
  const table = new FirstFailures();
  expect(failuresOf(7, table, contextOf(1))).toEqual(Array(7).fill("failed"));
});
