import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** docs/guides/bulk.md names figures that a source decides. */

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const guide = read("docs/guides/bulk.md");

it.each([
  ["It begins with $ in hand", "pace/slot-limit.ts", "firstSlots", 1],
  ["in hand and $ requests a second", "pace/rate-seeker.ts", "firstRate", 1],
  ["to $ in hand at most", "pace/slot-limit.ts", "mostSlots", 1],
  ["Lines are collected for up to $ ms", "journal/line-groups.ts", "maxDelayMs", 1],
  ["$ s after its last sign of life", "journal/lock.ts", "staleMs", 1_000],
])("%s: as %s says", (sentence, file, name, unit) => {
  const [, value = ""] = new RegExp(`^const ${name} = ([\\d_]+);$`, "m").exec(read(`src/bulk/${file}`)) ?? [];
  const figure = Number(value.replaceAll("_", "")) / unit;
  expect(figure).toBeGreaterThan(0);
  expect(guide).toContain(sentence.replace("$", String(figure)));
});
