// @ts-check
import { sizeOf } from "./cells.mjs";
import { isOurs, yardstick } from "./contenders.mjs";
import { ratioOf } from "./goals.mjs";

const labelWidth = 200;
const columnWidth = 220;
/** What a bar leaves of its column, for its number. */
const numberWidth = 64;
const rowHeight = 22;
const barHeight = 14;
const top = 84;
const margin = 16;

/** It paints its own ground, so that it can be read on any page, and follows the reader's choice of light or dark. */
const style = `
  .ground { fill: #ffffff; stroke: #d1d9e0 }
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #59636e }
  .own { font-weight: 600 }
  .bar { fill: #c3ccd5 } .bare { fill: #59636e } .ours { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .bar { fill: #3d444d } .bare { fill: #9198a1 } .ours { fill: #4493f8 }
  }
`;

/**
 * CPU time in that of bare dispatch, one column for each size: by HTTP with 20 in flight.
 *
 * @param {import("./results.mjs").Results} results
 * @returns {string} an SVG
 */
export function chartOf({ cells }) {
  const columns = cells
    .filter(({ protocol, inFlight }) => protocol === "http" && inFlight === 20)
    .sort((one, other) => one.bytes - other.bytes);
  const names = Object.keys(columns[0]?.contenders ?? {});
  const width = margin * 2 + labelWidth + columns.length * columnWidth;
  const height = top + names.length * rowHeight + margin;
  const title = "CPU time of one document, × bare undici dispatch";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>${style}</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="${margin}" y="30">${title}</text>
<text class="quiet" x="${margin}" y="50">HTTP, 20 in flight; shorter is better; each size on a scale of its own</text>
${names.map((name, row) => labelOf(name, row)).join("\n")}
${columns.map((cell, index) => columnOf(cell, names, margin + labelWidth + index * columnWidth)).join("\n")}
</svg>
`;
}

/** @param {string} name @param {number} row */
function labelOf(name, row) {
  return `<text${isOurs(name) ? ' class="own"' : ""} x="${margin}" y="${baselineOf(row)}">${escaped(name)}</text>`;
}

/**
 * @param {import("./results.mjs").CellResults} cell
 * @param {readonly string[]} names
 * @param {number} left
 */
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

/** @param {number} row */
function baselineOf(row) {
  return top + row * rowHeight + rowHeight / 2 + 4.5;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
