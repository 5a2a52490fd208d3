import fc from "fast-check";
import { it } from "vitest";

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const runs = Number(FUZZ_RUNS ?? 300);
// Every run of the tests tries the same things. `npm run fuzz`, which sets FUZZ_RUNS, tries others each time.
const seed = FUZZ_RUNS === undefined || FUZZ_SEED ? { seed: Number(FUZZ_SEED ?? 1) } : {};

type Property = fc.IRawProperty<unknown, boolean>;

/**
 * A test that says what holds for anything: of 300 things, or of as many as the environment's `FUZZ_RUNS`.
 * A failure prints the smallest thing it does not hold for and a seed, which as `FUZZ_SEED` brings it back.
 *
 * `npm run fuzz` runs these tests, all of them and no other.
 *
 * @param title - what holds
 * @param make - gives the property of fast-check
 */
export function property(title: string, make: () => Property): void {
  hold(title, make, runs);
}

/** The same for a tenth as many things: where one of them takes milliseconds. */
export function slowProperty(title: string, make: () => Property): void {
  hold(title, make, Math.ceil(runs / 10));
}

/** The same for a hundredth as many: where one of them takes tenths of a second. */
export function slowestProperty(title: string, make: () => Property): void {
  hold(title, make, Math.ceil(runs / 100));
}

function hold(title: string, make: () => Property, numRuns: number): void {
  // Nothing that works comes near to this, on a machine with ten times as much to do, either.
  const timeout = 60_000 + 50 * numRuns;
  it(title, { tags: ["property"], timeout }, () => fc.assert(make(), { numRuns, ...seed }) as unknown);
}

/** What patterns repeat, and what begins an escape or a quotation that does not end. */
const repeated = [" ", "\t", "\n", ...`\\ " ' % %25 & &# \\u \\u00 "" \\" {{ [ * ; = 0 a`.split(" ")];

/** 100 kB of one thing, with something else at its end or without. Reading it may take no longer than its length allows. */
const longRun = fc
  .tuple(fc.constantFrom(...repeated), fc.constantFrom("", "x", "!", '"'))
  .map(([one, end]) => one.repeat(Math.ceil(100_000 / one.length)) + end);

/** A text, and now and then a run of 100 kB instead. */
export function orLongRun(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 30, arbitrary: texts }, { weight: 1, arbitrary: longRun });
}
