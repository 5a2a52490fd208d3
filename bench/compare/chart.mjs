import { isOurs, yardstick } from "../measure/contenders.mjs";
import { chartOf, escaped, margin } from "../shared/chart.mjs";
import { sizeOf } from "../shared/figures.mjs";
import { ratioOf } from "./goals.mjs";

const labelWidth = 200;
const columnWidth = 220;
/** The space for the number next to a bar. */
const numberWidth = 64;
const rowHeight = 22;
const barHeight = 14;
const top = 84;

/** Draws CPU time relative to bare dispatch with HTTP and 20 in flight, in one column per size. */
export function compareChart({ cells }) {
  const columns = cells
    .filter(({ protocol, inFlight }) => protocol === "http" && inFlight === 20)
    .sort((one, other) => one.bytes - other.bytes);
  const names = Object.keys(columns[0]?.contenders ?? {});
  return chartOf({
    width: margin * 2 + labelWidth + columns.length * columnWidth,
    height: top + names.length * rowHeight + margin,
    title: "CPU time of one document, × bare undici dispatch",
    subtitle: "HTTP, 20 in flight; shorter is better; each size has its own scale",
    elements: [
      ...names.map((name, row) => labelOf(name, row)),
      ...columns.map((cell, index) => columnOf(cell, names, margin + labelWidth + index * columnWidth)),
    ],
  });
}

function labelOf(name, row) {
  return `<text${isOurs(name) ? ' class="own"' : ""} x="${margin}" y="${baselineOf(row)}">${escaped(name)}</text>`;
}

function columnOf(cell, names, left) {
  const ratios = names.map((name) => ratioOf(cell, name));
  const longest = Math.max(...ratios.filter((ratio) => !Number.isNaN(ratio)));
  const bars = ratios.flatMap((ratio, row) => {
    if (Number.isNaN(ratio)) return [];
    const name = names[row] ?? "";
    const kind = isOurs(name) ? "ours" : name === yardstick ? "bare" : "bar";
    const length = Math.max(1, (ratio / longest) * (columnWidth - numberWidth)).toFixed(1);
    const y = top + row * rowHeight + (rowHeight - barHeight) / 2;
    const number = `<text x="${(left + Number(length) + 6).toFixed(1)}" y="${baselineOf(row)}">${ratio.toFixed(2)}</text>`;
    return [
      `<rect class="${kind}" x="${left}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>${number}`,
    ];
  });
  return [`<text class="title" x="${left}" y="${top - 10}">${sizeOf(cell.bytes)}</text>`, ...bars].join("\n");
}

function baselineOf(row) {
  return top + row * rowHeight + rowHeight / 2 + 4.5;
}
