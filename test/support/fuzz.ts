import fc from "fast-check";
import { expect, it } from "vitest";

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const runs = Number(FUZZ_RUNS ?? 300);
// Every test run uses the same inputs. `npm run fuzz` sets FUZZ_RUNS and uses random inputs.
const seed = FUZZ_RUNS === undefined || FUZZ_SEED ? { seed: Number(FUZZ_SEED ?? 1) } : {};

type Property = fc.IRawProperty<unknown, boolean>;

/** Defines property tests with this share of the inputs. */
function holding(share: number) {
  const numRuns = Math.ceil(runs * share);
  // Correct code stays far below this, even on a machine that is ten times slower.
  const timeout = 60_000 + 50 * numRuns;
  return <const Outcome extends string>(
    title: string,
    make: (saw: (outcome: Outcome) => void) => Property,
    { outcomes = [] }: { readonly outcomes?: readonly Outcome[] } = {},
  ): void =>
    it(title, { tags: ["property"], timeout }, async () => {
      const seen = new Set<Outcome>();
      await fc.assert(
        make((outcome) => void seen.add(outcome)),
        { numRuns, ...seed },
      );
      for (const outcome of outcomes) {
        expect(seen.has(outcome), `at least one input leads to the outcome: ${outcome}`).toBe(true);
      }
    });
}

/**
 * Defines a property test with 300 inputs, or as many as `FUZZ_RUNS` in the environment. A failure prints the smallest failing
 * input and a seed; set `FUZZ_SEED` to that seed to repeat the failure.
 *
 * If the assertions depend on an outcome, name the outcomes and report each with `saw`. The test fails if one of them never occurs,
 * because its assertions would prove nothing.
 *
 * `npm run fuzz` runs all of these tests and no others.
 *
 * @param title - the property, as a sentence
 * @param make - creates the property of fast-check
 */
export const property = holding(1);

/** Like `property` with a tenth of the inputs, if each takes milliseconds. */
export const slowProperty = holding(1 / 10);

/** Like `property` with a hundredth of the inputs, if each takes tenths of a second. */
export const slowestProperty = holding(1 / 100);

/** Any character, but not half a surrogate pair. `unit: "binary"` does the same, but first lists all of them, which takes seconds. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  // Without the inverse, fast-check would not try strings such as "__proto__".
  .map(String.fromCodePoint, (text) => /^.$/su.exec(text as string)?.[0].codePointAt(0) ?? Number.NaN);

/** Characters that regular expressions repeat, or that begin an escape or a quotation. */
const repeated = [" ", "\t", "\n", ...`\\ " ' % %25 & &# \\u \\u00 "" \\" {{ [ * ; = 0 a`.split(" ")];

/** 100 kB of one repeated character, optionally with another at its end. Reading it must take time proportional to its length. */
const longRun = fc
  .tuple(fc.constantFrom(...repeated), fc.constantFrom("", "x", "!", '"'))
  .map(([one, end]) => one.repeat(Math.ceil(100_000 / one.length)) + end);

/** A text, or sometimes 100 kB of one repeated character. */
export function orLongRun(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 30, arbitrary: texts }, { weight: 1, arbitrary: longRun });
}
