// @ts-check
const width = 820;
const plot = { left: 64, top: 64, width: 480, height: 240 };
const height = plot.top + plot.height + 48;
const margin = 16;
/** Two names at the ends of lines need so much room, or one would stand on the other. */
const nameHeight = 17;

/** It paints its own ground, so that it can be read on any page, and follows the reader's choice of light or dark. */
const style = `
  .ground { fill: #ffffff; stroke: #d1d9e0 }
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #59636e }
  .grid { stroke: #d1d9e0 }
  .line { fill: none; stroke-width: 2 }
  .line0 { stroke: #0969da } .line1 { stroke: #1a7f37 } .line2 { stroke: #bc4c00 } .line3 { stroke: #8250df }
  .name0 { fill: #0969da } .name1 { fill: #1a7f37 } .name2 { fill: #bc4c00 } .name3 { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .line0 { stroke: #4493f8 } .line1 { stroke: #3fb950 } .line2 { stroke: #f0883e } .line3 { stroke: #ab7df8 }
    .name0 { fill: #4493f8 } .name1 { fill: #3fb950 } .name2 { fill: #f0883e } .name3 { fill: #ab7df8 }
  }
`;

/**
 * Memory over a long run, a line for each: what is flat lies flat.
 *
 * @param {import("./memory.mjs").Memory | undefined} memory
 * @returns {string} an SVG
 */
export function chartOf(memory) {
  const runs = Object.entries(memory?.runs ?? {});
  const most = Math.max(1, ...runs.flatMap(([, { rssMegabytes }]) => rssMegabytes));
  const top = Math.ceil(most / 50) * 50;
  const count = memory?.documents.toLocaleString("en") ?? "no";
  const title = `Memory over a run of ${count} documents`;
  const names = apart(runs.map(([, { rssMegabytes }]) => yOf(rssMegabytes.at(-1) ?? 0, top)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>${style}</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="${margin}" y="30">${title}</text>
<text class="quiet" x="${margin}" y="50">MB resident, by how much of the run is done</text>
${[0, top / 2, top].map((megabytes) => levelOf(megabytes, top)).join("\n")}
${[0, 50, 100].map(shareOf).join("\n")}
${runs.map(([name, run], index) => lineOf(name, run.rssMegabytes, index, top, names[index] ?? 0)).join("\n")}
</svg>
`;
}

/** @param {number} megabytes @param {number} top */
function levelOf(megabytes, top) {
  const y = yOf(megabytes, top).toFixed(1);
  return `<line class="grid" x1="${plot.left}" x2="${plot.left + plot.width}" y1="${y}" y2="${y}"/><text class="quiet" x="${plot.left - 8}" y="${y}" dy="4.5" text-anchor="end">${megabytes}</text>`;
}

/** @param {number} percent */
function shareOf(percent) {
  const y = plot.top + plot.height + 22;
  return `<text class="quiet" x="${xOf(percent)}" y="${y}" text-anchor="middle">${percent} %</text>`;
}

/**
 * @param {string} name
 * @param {readonly number[]} samples
 * @param {number} index
 * @param {number} top
 * @param {number} nameY
 */
function lineOf(name, samples, index, top, nameY) {
  const points = samples.map(
    (megabytes, at) => `${xOf(at + 1).toFixed(1)},${yOf(megabytes, top).toFixed(1)}`,
  );
  return `<polyline class="line line${index}" points="${points.join(" ")}"/>
<text class="name${index}" x="${plot.left + plot.width + 8}" y="${nameY.toFixed(1)}" dy="4.5">${name}</text>`;
}

/** @param {number} percent */
function xOf(percent) {
  return plot.left + (plot.width * percent) / 100;
}

/** @param {number} megabytes @param {number} top */
function yOf(megabytes, top) {
  return plot.top + plot.height * (1 - megabytes / top);
}

/**
 * Moves what is too near to its neighbour down.
 *
 * @param {readonly number[]} ys
 */
function apart(ys) {
  const moved = [...ys];
  const order = ys.map((_, index) => index).sort((one, other) => (ys[one] ?? 0) - (ys[other] ?? 0));
  let last = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    last = Math.max(moved[index] ?? 0, last + nameHeight);
    moved[index] = last;
  }
  return moved;
}
