import { compared, isOurs, yardstick } from "../measure/contenders.mjs";
import { inDigits, inTwoDigits, sizeOf } from "../shared/figures.mjs";
import { circumstancesOf } from "../shared/machine.mjs";
import { markdownTable } from "../shared/tables.mjs";
import { compareChart } from "./chart.mjs";
import { goalsOf, ratioOf } from "./goals.mjs";
import { textOf } from "./results.mjs";
import { durations, nameOf } from "./settings.mjs";

/** Returns the files for docs/reports by name. */
export function pageFilesOf(results) {
  return {
    "benchmarks.json": textOf(results),
    "benchmarks.md": pageOf(results),
    "benchmarks.svg": compareChart(results),
  };
}

/** Returns docs/reports/benchmarks.md. */
function pageOf(results) {
  return `${[
    "# Benchmarks",
    `This page compares the cost of one document in template-pdf, bare undici and other HTTP clients. \`npm run bench\` generates this page, its chart and
[benchmarks.json](benchmarks.json), which contains all figures.`,
    "![CPU time of one document, relative to bare undici dispatch](benchmarks.svg)",
    ...surroundingsOf(results),
    ...goalPartOf(results),
    ...ratioPartOf(results),
    ...methodOf(results),
    "## All figures",
    "The figures are medians of the rounds. **Bold** rows are this package. Memory is the peak resident set of the process.",
    ...inOrder(results.cells).map(
      (cell) => `<details>\n<summary>${nameOf(cell)}</summary>\n\n${detailsOf(cell)}\n\n</details>`,
    ),
  ].join("\n\n")}\n`;
}

function surroundingsOf({ kind, savedTo, versions, ...circumstances }) {
  const extent = {
    full: "This is a full run.",
    quick:
      "**This is a quick run** with fewer cells and rounds, and a warm-up that is too short for the slower clients.",
    part: "**This is a partial run** without all contenders and cells.",
  };
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    "## Environment",
    `${extent[kind]} ${circumstancesOf(circumstances)} Client and server run on the same machine. Versions: ${named.join(", ")}.
\`saveTo()\` and \`writeFile\` write to ${savedTo}.`,
  ];
}

export function goalPartOf(results) {
  const rows = goalsOf(results).map(({ text, limit, ratio, reached }) => {
    const verdict = Number.isNaN(ratio) ? "not measured" : reached ? "reached" : "**missed**";
    return [text, `≤ ${limit.toFixed(2)}`, inTwoDigits(ratio), verdict];
  });
  return [
    "## Goals",
    "The unit is the CPU time of bare dispatch, which holds a document in memory and does not check it.",
    markdownTable(["", "goal", "measured", ""], rows),
  ];
}

function ratioPartOf({ cells }) {
  const tables = ["http", "tls"].flatMap((protocol) => {
    const own = inOrder(cells).filter((cell) => cell.protocol === protocol);
    if (own.length === 0) return [];
    const names = Object.keys(own[0]?.contenders ?? {});
    const head = ["× bare", ...own.map(({ bytes, inFlight }) => `${sizeOf(bytes)}, ${inFlight}`)];
    const bare = own.map(({ contenders }) => `${inDigits(contenders[yardstick]?.cpuMicroseconds)} µs`);
    const rows = names.map((name) => [marked(name), ...own.map((cell) => ratioIn(cell, name))]);
    return [
      `**${protocol.toUpperCase()}**`,
      markdownTable(head, [[`${yardstick}, CPU time`, ...bare], ...rows]),
    ];
  });
  return [
    "## CPU time of one document, × bare dispatch",
    `The columns are the size of the document and the number in flight. Compare only within a column: absolute times depend on the machine.
A \`~\` marks an imprecise figure: the rounds of that client, or of bare dispatch, differ by more than half.`,
    ...tables,
  ];
}

/** Returns a ratio as text, marked with ~ if it is imprecise. */
export function ratioIn(cell, name) {
  const ratio = inTwoDigits(ratioOf(cell, name));
  const isImprecise = [name, yardstick].some((one) => {
    const rounds = cell.contenders[one]?.rounds ?? [];
    return Math.max(...rounds) > 1.5 * Math.min(...rounds);
  });
  return isImprecise && name !== yardstick ? `~ ${ratio}` : ratio;
}

function methodOf({ cells }) {
  const names = [...compared.values()].join(" and ");
  const roundsOf = (name) => cells[0]?.contenders[name]?.rounds.length ?? 0;
  const others = Object.keys(cells[0]?.contenders ?? {}).find((name) => !compared.has(name)) ?? yardstick;
  const turns = `${roundsOf(yardstick)} for ${names}, ${roundsOf(others)} for all others`;
  return [
    "## Method",
    `- Each client sends the same JSON values with the key, reads the complete body, and checks the status and the length, with idiomatic code. Connections stay
  open. \`template-pdf\` is the built package with its default checks, timeouts and retries.
- Each figure comes from a new process, which warms up first. The processes alternate in rounds: ${turns}.
- CPU time is user and system time of the client process with all its threads. Latency is the time from the call to the complete document.
- Bare dispatch collects the chunks of a document in a list and joins them at the end. \`bytes()\` copies them into place as they arrive, which needs less
  memory and CPU time for documents of more than one chunk.
- There is no goal for \`stream()\`, because the runtime implements web streams.
- \`stream()\` is read to the end, and its bytes are counted. \`saveTo()\` replaces the file of the previous document. "undici dispatch, writeFile" writes the
  same file directly, and leaves an incomplete file if it is interrupted. \`saveTo()\` checks the folder, syncs and renames: see
  [the cost of saving](../decisions/0016-cost-of-saving.md).`,
    "The benchmarks do not measure rendering, the network, compressed responses, HTTP/2, failures, or runtimes other than Node.",
    `${"`npm run bench -- --help`"} lists the options. A full run takes ${durations.full}, a quick one ${durations.quick}.`,
  ];
}

/** Returns a table with all figures of a cell. */
export function detailsOf(cell) {
  const rows = Object.entries(cell.contenders).map(([name, figures]) => [
    marked(name),
    inDigits(figures.cpuMicroseconds),
    `${inDigits(Math.min(...figures.rounds))} – ${inDigits(Math.max(...figures.rounds))}`,
    inTwoDigits(ratioOf(cell, name)),
    inDigits(figures.perSecond),
    inDigits(figures.peakMegabytes),
    inDigits(figures.p50Ms),
    inDigits(figures.p99Ms),
  ]);
  const head = ["", "CPU µs", "of the rounds", "× bare", "documents / s", "peak MB", "p50 ms", "p99 ms"];
  return markdownTable(head, rows);
}

function inOrder(cells) {
  return [...cells].sort(
    (one, other) =>
      one.protocol.localeCompare(other.protocol) || one.inFlight - other.inFlight || one.bytes - other.bytes,
  );
}

function marked(name) {
  return isOurs(name) ? `**${name}**` : name;
}
