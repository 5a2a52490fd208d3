import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { makeProject, runNode } from "../package/consumer.ts";

const { FUZZ_SEED, FUZZ_RUNS = "15" } = process.env;
const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);

/** What readers of headers, JSON, URLs, HTML and stacks look for. */
const pieces = [
  ...`\\"'%&#;:,=/?@.-_ \t(){}[]<>aA0é\n\r\0`,
  ...'\\u|\\u00|\\x4|%25|%c3|&amp;|&#x0|&#|0 |1.|{{|}}|*/|[[|--|; a=|";|charset=|c2tf|name|total|one '.split(
    "|",
  ),
  ..."sk_live_0123456789|UTF-8''|filename=|    at a (b.js:1:2)\n|bytes, |Sun, ".split("|"),
];

/** Something short that is repeated, and something else before and after it. */
const texts = fc.tuple(
  fc.constantFrom("", '"', "(", "a="),
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
  fc.constantFrom("", "x", "\\", '"', ";"),
);

/**
 * 100 ms on a quiet machine, in CPU time: a busy one computes at about two thirds of its speed. Quadratic code takes from half a
 * second to minutes.
 */
const limitMs = 150;

it("no response, header or request of 256 kB blocks the event loop for 100 ms", {
  timeout: 600_000,
}, async () => {
  const program = readFileSync(join(import.meta.dirname, "hostile-texts/measure.mjs"), "utf8");
  const project = makeProject("hostile-texts", { "measure.mjs": program });
  const sampled = fc.sample(texts, { seed, numRuns: Number(FUZZ_RUNS) });
  const printed = await runNode(project, "measure.mjs", JSON.stringify(sampled));
  const worst = Object.entries(JSON.parse(printed) as Record<string, { blockedMs: number; text: string }>);
  expect(worst.length).toBe(8);
  const slow = worst.filter(([, { blockedMs }]) => blockedMs > limitMs);
  expect(slow, `with FUZZ_SEED=${seed}`).toEqual([]);
});
