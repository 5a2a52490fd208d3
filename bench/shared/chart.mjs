/** The colours of charts in light and dark mode. A chart has its own background, so that any page can show it. */
const colours = {
  light: {
    ground: "#ffffff",
    line: "#d1d9e0",
    text: "#1f2328",
    quiet: "#59636e",
    blue: "#0969da",
    red: "#cf222e",
  },
  dark: {
    ground: "#0d1117",
    line: "#3d444d",
    text: "#f0f6fc",
    quiet: "#9198a1",
    blue: "#4493f8",
    red: "#f85149",
  },
};

export const margin = 16;
const panel = { width: 236, height: 150, top: 24, plot: 84, gap: 16 };

/** Returns an SVG chart with a title and a subtitle, which supports light and dark mode. */
export function chartOf({ width, height, title, subtitle, elements }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
  svg { ${variablesOf(colours.light)} }
  @media (prefers-color-scheme: dark) { svg { ${variablesOf(colours.dark)} } }
  .ground { fill: var(--ground); stroke: var(--line) }
  text { font: 12px system-ui, sans-serif; fill: var(--text) }
  .title { font-weight: 600; font-size: 15px }
  .own { font-weight: 600 }
  .quiet { fill: var(--quiet) }
  .axis { stroke: var(--line); fill: none }
  .limit { stroke: var(--quiet); stroke-dasharray: 4 3; fill: none }
  .values { stroke: var(--blue); stroke-width: 1.75; fill: none; stroke-linejoin: round }
  .dot { fill: var(--red) }
  .bar { fill: var(--line) } .bare { fill: var(--quiet) } .ours { fill: var(--blue) }
</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="${margin}" y="30">${escaped(title)}</text>
<text class="quiet" x="${margin}" y="50">${escaped(subtitle)}</text>
${elements.join("\n")}
</svg>
`;
}

/**
 * Draws a panel for each line of values: `{ title, note, values, most, end, limit, dots }`. `most` is the top of its scale, `end` the end
 * of its axis, `limit` a dashed line, and a dot marks each value with something in `dots`.
 */
export function panelsOf({ title, subtitle, panels, columns }) {
  const top = 66;
  return chartOf({
    width: 2 * margin + columns * panel.width + (columns - 1) * panel.gap,
    height: top + Math.ceil(panels.length / columns) * panel.height + margin,
    title,
    subtitle,
    elements: panels.map((one, index) => {
      const left = margin + (index % columns) * (panel.width + panel.gap);
      return panelOf(one, left, top + Math.floor(index / columns) * panel.height);
    }),
  });
}

function panelOf({ title, note, values, most, end, limit, dots = [] }, left, y) {
  const bottom = y + panel.top + panel.plot;
  const right = left + panel.width;
  const xOf = (index) => (left + ((index + 0.5) * panel.width) / values.length).toFixed(1);
  const yOf = (value) => (bottom - (Math.min(value, most) / most) * panel.plot).toFixed(1);
  const line = values.map((value, index) => `${index === 0 ? "M" : "L"}${xOf(index)} ${yOf(value)}`);
  return [
    `<text class="own" x="${left}" y="${y + 12}">${escaped(title)}</text>`,
    `<text class="quiet" x="${right}" y="${y + 12}" text-anchor="end">${escaped(note)}</text>`,
    `<path class="axis" d="M${left} ${bottom}h${panel.width}"/>`,
    ...(limit === undefined ? [] : [`<path class="limit" d="M${left} ${yOf(limit)}h${panel.width}"/>`]),
    `<path class="values" d="${line.join("")}"/>`,
    ...dots.flatMap((count, index) =>
      count === 0 ? [] : [`<circle class="dot" cx="${xOf(index)}" cy="${bottom}" r="2.5"/>`],
    ),
    `<text class="quiet" x="${left}" y="${bottom + 15}">0</text>`,
    `<text class="quiet" x="${right}" y="${bottom + 15}" text-anchor="end">${end}</text>`,
  ].join("\n");
}

export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function variablesOf(values) {
  return Object.entries(values)
    .map(([name, colour]) => `--${name}: ${colour}`)
    .join("; ");
}
