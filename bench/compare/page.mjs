import { compared, isOurs, yardstick } from "../measure/contenders.mjs";
import { inDigits, inTwoDigits, sizeOf } from "../shared/figures.mjs";
import { circumstancesOf } from "../shared/machine.mjs";
import { markdownTable } from "../shared/tables.mjs";
import { compareChart } from "./chart.mjs";
import { goalsOf, ratioOf } from "./goals.mjs";
import { textOf } from "./results.mjs";
import { durations, nameOf } from "./settings.mjs";

/** What a run leaves in docs/reports, by the names of the files. */
export function pageFilesOf(results) {
  return {
    "benchmarks.json": textOf(results),
    "benchmarks.md": pageOf(results),
    "benchmarks.svg": compareChart(results),
  };
}

/** The whole of docs/reports/benchmarks.md. */
function pageOf(results) {
  return `${[
    "# Benchmarks",
    `What one document costs its client: ours beside bare undici and the clients that people use otherwise. \`npm run bench\` writes
this page, its chart and [benchmarks.json](benchmarks.json), which has every figure of it; nobody edits them.`,
    "![CPU time of one document, in that of bare undici dispatch](benchmarks.svg)",
    ...surroundingsOf(results),
    ...goalPartOf(results),
    ...ratioPartOf(results),
    ...methodOf(results),
    "## Every figure",
    "Medians of the rounds. **Bold** is this package; the memory is the largest resident set of the whole process.",
    ...inOrder(results.cells).map(
      (cell) => `<details>\n<summary>${nameOf(cell)}</summary>\n\n${detailsOf(cell)}\n\n</details>`,
    ),
  ].join("\n\n")}\n`;
}

function surroundingsOf({ kind, savedTo, versions, ...circumstances }) {
  const extent = {
    full: "A full run.",
    quick: "**A quick run**: fewer cells and rounds, and a warm-up too short for the slower clients.",
    part: "**A part**: not all contenders or cells.",
  };
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    "## Where",
    `${extent[kind]} ${circumstancesOf(circumstances)} Client and server share the machine. Versions: ${named.join(", ")}.
\`saveTo()\` and \`writeFile\` write to ${savedTo}.`,
  ];
}

export function goalPartOf(results) {
  const rows = goalsOf(results).map(({ text, limit, ratio, reached }) => {
    const verdict = Number.isNaN(ratio) ? "not measured" : reached ? "reached" : "**missed**";
    return [text, `≤ ${limit.toFixed(2)}`, inTwoDigits(ratio), verdict];
  });
  return [
    "## The goals",
    "In the CPU time of bare dispatch, which holds a document in memory and checks nothing of it.",
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
    `The columns are the size of the document and how many are in flight. Compare within a column: absolute times depend on the machine.
A \`~\` stands where the rounds of that client, or those of bare dispatch, differ by more than half: such a figure is rough.`,
    ...tables,
  ];
}

/** A figure as the page shows it. */
export function ratioIn(cell, name) {
  const ratio = inTwoDigits(ratioOf(cell, name));
  const isRough = [name, yardstick].some((one) => {
    const rounds = cell.contenders[one]?.rounds ?? [];
    return Math.max(...rounds) > 1.5 * Math.min(...rounds);
  });
  return isRough && name !== yardstick ? `~ ${ratio}` : ratio;
}

function methodOf({ cells }) {
  const names = [...compared.values()].join(" and ");
  const roundsOf = (name) => cells[0]?.contenders[name]?.rounds.length ?? 0;
  const others = Object.keys(cells[0]?.contenders ?? {}).find((name) => !compared.has(name)) ?? yardstick;
  const turns = `${roundsOf(yardstick)} for ${names}, ${roundsOf(others)} for everybody else`;
  return [
    "## What is measured",
    `- Everybody does one job, written as their own users would: POST the same JSON values with the key, read the body to its end, check the
  status and the length. Connections stay open. \`template-pdf\` is the built package as it is published, with all its checks, clocks,
  retries and hooks as they are by default.
- Each figure is that of a fresh process, which warms up first. The processes take turns, in rounds: ${turns}.
- CPU time is user and system time of the client's process, with all its threads. Latency is from the call to the whole document.
- Bare dispatch keeps the chunks of a document in a list and joins them at its end, as a program does that has no more at hand. \`bytes()\` puts
  them where they belong as they come: less memory that lives on, and so less CPU time for documents of more than one chunk.
- No goal is set for \`stream()\`, because web streams are the runtime's own and cost what they cost.
- \`stream()\` is read to its end and its bytes are only counted. \`saveTo()\` replaces the file of the document before; what a bare write of
  the same files costs tells "undici dispatch, writeFile", which leaves half a file behind where it is interrupted. \`saveTo()\` looks before it asks, syncs and
  renames: [what saving costs](../decisions/0016-cost-of-saving.md).`,
    "Not measured: the time of a real service to render, a network in between, compressed answers, HTTP/2, failures, other runtimes than Node.",
    `${"`npm run bench -- --help`"} lists the options. A full run takes ${durations.full}, a quick one ${durations.quick}.`,
  ];
}

/** Every figure of a cell. */
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
