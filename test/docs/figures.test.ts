import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { resolveRetry } from "../../src/options/retry.ts";
import { resolveTimeouts } from "../../src/options/timeouts.ts";
import { constantOf } from "./constant-of.ts";
import { inWords } from "./in-words.ts";
import { passingStatuses } from "./passing-statuses.ts";

/** Figures that stand in sentences, where no region can make them, beside what decides them. */

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

const timeouts = resolveTimeouts();
const retry = resolveRetry();

/** As `engines` has them: `^20.19.0 || >=22.12.0`. */
const versionsOfNode = [...JSON.parse(read("package.json")).engines.node.matchAll(/(\d+\.\d+)\.0/g)].map(
  ([, version]) => version,
);

/** The first column of the table of docs/reports/runtimes.md; some run there more than once. */
const runtimes = new Set(
  [...read("docs/reports/runtimes.md").matchAll(/^\| ([^|]+) \| \d/gm)].map(([, name]) => name),
);

const longestFile = /"maxLines": (\d+)/.exec(read("biome.json"))?.[1];

const words = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
const inWord = (count: number) => words[count] ?? String(count);
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const times = (count: number) => ({ 1: "once", 2: "twice" })[count] ?? `${inWord(count)} times`;

const ofBulk = (file: string, name: string) => constantOf(`src/bulk/${file}`, name);

/** A sentence has a `$` for each of its figures. */
const told: readonly (readonly [paper: string, sentence: string, figures: readonly unknown[]])[] = [
  ["README.md", "It needs Node $ or later (of 22: $)", versionsOfNode],
  ["CONTRIBUTING.md", "You need Node $ or later (of 22: $ or later)", versionsOfNode],
  ["docs/guides/quick-start.md", "You need Node $ or later (of 22: $ or later)", versionsOfNode],
  ["README.md", "is tried again, $ more: what did not leave", [times(retry.limit)]],
  ["README.md", "what did not leave, $, silence", [inWords(passingStatuses())]],
  ["docs/guides/errors.md", "const passing = [$];", [passingStatuses().join(", ")]],
  ["README.md", "$ runtimes run one suite", [capital(inWord(runtimes.size))]],
  ["docs/guides/migrating.md", "**It tries again**, $, where", [times(retry.limit)]],
  [
    "docs/guides/migrating.md",
    "takes longer than $ minutes to render",
    [inWord(timeouts.firstByte / 60_000)],
  ],
  ["CONTRIBUTING.md", "one idea, at most $ lines", [longestFile]],
  ["docs/guides/bulk.md", "It begins with $ in hand", [ofBulk("pace/slot-limit.ts", "firstSlots")]],
  ["docs/guides/bulk.md", "in hand and $ requests a second", [ofBulk("pace/rate-seeker.ts", "firstRate")]],
  ["docs/guides/bulk.md", "to $ in hand at most", [ofBulk("pace/slot-limit.ts", "mostSlots")]],
  [
    "docs/guides/bulk.md",
    "Lines are collected for up to $ ms",
    [ofBulk("journal/line-groups.ts", "maxDelayMs")],
  ],
  [
    "docs/guides/bulk.md",
    "only where $ rows met them",
    [inWord(constantOf("src/cli/bulk/systematic-failures.ts", "enough"))],
  ],
  [
    "docs/guides/bulk.md",
    "So do $ rows for which",
    [constantOf("src/cli/bulk/systematic-failures.ts", "enoughUnanswered")],
  ],
  ["docs/guides/bulk.md", "$ s after its last sign of life", [ofBulk("journal/lock.ts", "staleMs") / 1_000]],
];

it.each(told)("%s says: %s", (paper, sentence, figures) => {
  expect(figures).not.toContain(0);
  expect(sentence.split("$")).toHaveLength(1 + figures.length);
  const whole = figures.reduce<string>((text, figure) => text.replace("$", String(figure)), sentence);
  // A line may end anywhere in a sentence.
  const text = read(paper).replaceAll(/\s+/g, " ");
  expect(text.includes(whole), `${paper} does not say: ${whole}`).toBe(true);
});
