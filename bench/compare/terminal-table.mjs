// @ts-check
import { nameOf } from "./cells.mjs";
import { isOurs } from "./contenders.mjs";
import { ratioOf } from "./goals.mjs";

const titles = ["CPU µs", "× bare", "doc/s", "peak MB", "p50 ms", "p99 ms", "CPU µs of rounds"];
const widths = [10, 8, 9, 9, 9, 9, 20];

/**
 * One cell as text, ours marked.
 *
 * @param {import("./results.mjs").CellResults} cell
 */
export function tableOf(cell) {
  const lines = Object.entries(cell.contenders).map(([name, figures]) => {
    const { cpuMicroseconds, perSecond, peakMegabytes, p50Ms, p99Ms, rounds } = figures;
    const columns = [
      cpuMicroseconds.toFixed(1),
      ratioOf(cell, name).toFixed(2),
      perSecond.toFixed(0),
      peakMegabytes.toFixed(0),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      `${Math.min(...rounds).toFixed(1)} – ${Math.max(...rounds).toFixed(1)}`,
    ];
    return `${isOurs(name) ? "▶" : " "} ${name.padEnd(28)}${inColumns(columns)}`;
  });
  return [nameOf(cell), `${"".padEnd(30)}${inColumns(titles)}`, ...lines].join("\n");
}

/**
 * @param {ReturnType<typeof import("./goals.mjs").goalsOf>} goals
 * @returns {string[]}
 */
export function goalLinesOf({ goals, above }) {
  return [
    "Goals, in CPU time of bare dispatch:",
    ...goals.map(({ text, limit, ratio, reached }) => {
      if (Number.isNaN(ratio)) return `  not measured  ${text}: at most ${limit}`;
      return `  ${reached ? "reached     " : "MISSED      "}  ${text}: ${ratio.toFixed(2)}, at most ${limit}`;
    }),
    ...above.map(
      ({ contender, cell, ratio }) => `                  ${ratio.toFixed(2)}  ${contender}, ${cell}`,
    ),
  ].map((line) => line.replaceAll("`", ""));
}

/** @param {readonly string[]} texts */
function inColumns(texts) {
  return texts.map((text, index) => text.padStart(widths[index] ?? 0)).join("");
}
