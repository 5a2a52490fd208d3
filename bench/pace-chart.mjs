// @ts-check

/**
 * @typedef {object} Reading
 * @property {string} kind
 * @property {number} allowed - a second
 * @property {string} retryAfter
 * @property {number[]} accepted - in each second of the run
 * @property {number[]} refused - in each second of the run
 */

const margin = 16;
const panelWidth = 236;
const panelHeight = 150;
const plotHeight = 84;
const gap = 16;
const top = 78;

/** It paints its own ground, so that it can be read on any page, and follows the reader's choice of light or dark. */
const style = `
  .ground { fill: #ffffff; stroke: #d1d9e0 }
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .own { font-weight: 600 }
  .quiet { fill: #59636e }
  .axis { stroke: #d1d9e0; fill: none }
  .allowed { stroke: #59636e; stroke-dasharray: 4 3; fill: none }
  .pace { stroke: #0969da; stroke-width: 1.75; fill: none; stroke-linejoin: round }
  .refused { fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .axis { stroke: #3d444d }
    .allowed { stroke: #9198a1 }
    .pace { stroke: #4493f8 }
    .refused { fill: #f85149 }
  }
`;

/**
 * The documents of each second beside what the server allows, a panel for each server.
 *
 * @param {readonly Reading[]} readings
 * @param {number} columns
 * @returns {string} an SVG
 */
export function paceChartOf(readings, columns) {
  const rows = Math.ceil(readings.length / columns);
  const width = 2 * margin + columns * panelWidth + (columns - 1) * gap;
  const height = top + rows * panelHeight + margin;
  const title = 'Documents a second with concurrency: "auto"';
  const panels = readings.map((reading, index) => {
    const left = margin + (index % columns) * (panelWidth + gap);
    return panelOf(reading, left, top + Math.floor(index / columns) * panelHeight);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title.replaceAll('"', "&quot;")}</title>
<style>${style}</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="${margin}" y="30">${title}</text>
<path class="pace" d="M${margin} 47h22"/><text class="quiet" x="${margin + 28}" y="51">accepted in each second</text>
<path class="allowed" d="M${margin + 186} 47h22"/><text class="quiet" x="${margin + 214}" y="51">what the server allows; 429 beyond</text>
<circle class="refused" cx="${margin + 440}" cy="47" r="3"/><text class="quiet" x="${margin + 450}" y="51">a second with refusals</text>
${panels.join("\n")}
</svg>
`;
}

/** @param {Reading} reading @param {number} left @param {number} y */
function panelOf({ kind, allowed, retryAfter, accepted, refused }, left, y) {
  const most = 1.5 * allowed;
  const bottom = y + 24 + plotHeight;
  /** @param {number} second */
  const xOf = (second) => (left + ((second + 0.5) * panelWidth) / accepted.length).toFixed(1);
  /** @param {number} perSecond */
  const yOf = (perSecond) => (bottom - (Math.min(perSecond, most) / most) * plotHeight).toFixed(1);
  const line = accepted.map((count, second) => `${second === 0 ? "M" : "L"}${xOf(second)} ${yOf(count)}`);
  const dots = refused.flatMap((count, second) =>
    count === 0 ? [] : [`<circle class="refused" cx="${xOf(second)}" cy="${bottom}" r="2.5"/>`],
  );
  return `<text class="own" x="${left}" y="${y + 12}">${allowed} a second, ${kind}</text>
<text class="quiet" x="${left + panelWidth}" y="${y + 12}" text-anchor="end">${retryAfter === "none" ? "no Retry-After" : `Retry-After: ${retryAfter}`}</text>
<path class="axis" d="M${left} ${bottom}h${panelWidth}"/>
<path class="allowed" d="M${left} ${yOf(allowed)}h${panelWidth}"/>
<path class="pace" d="${line.join("")}"/>
${dots.join("")}
<text class="quiet" x="${left}" y="${bottom + 15}">0</text><text class="quiet" x="${left + panelWidth}" y="${bottom + 15}" text-anchor="end">${accepted.length} s</text>`;
}
