import { bareLoops } from "../measure/many.mjs";
import { panelsOf } from "../shared/chart.mjs";
import { inDigits, sizeOf } from "../shared/figures.mjs";
import { circumstancesOf } from "../shared/machine.mjs";
import { markdownTable } from "../shared/tables.mjs";
import { ratioIn } from "./parts.mjs";

/** What part of the documents per second of a bare loop a run has to make. */
const goal = 0.9;

/** What a run leaves in docs/reports, by the names of the files. */
export function pageFilesOf(results) {
  const text = JSON.stringify(results, null, 2);
  return {
    // A hundred samples take one line.
    "bulk-benchmarks.json": `${text.replace(/\[[\d.,\s]+\]/g, (numbers) => numbers.replace(/\s+/g, " "))}\n`,
    "bulk-benchmarks.md": pageOf(results),
    "bulk-benchmarks.svg": memoryChart(results.memory),
  };
}

function memoryChart(memory) {
  const runs = Object.entries(memory?.runs ?? {});
  const most = Math.max(1, ...runs.flatMap(([, { rssMegabytes }]) => rssMegabytes));
  return panelsOf({
    title: `Memory over a run of ${memory?.documents.toLocaleString("en") ?? "no"} documents`,
    subtitle: `resident, over the course of the run; the top of each panel is ${Math.ceil(most)} MB`,
    columns: 4,
    panels: runs.map(([title, { rssMegabytes: values }]) => {
      return { title, note: `${values.at(-1)} MB`, values, most, end: "100 %" };
    }),
  });
}

/** The whole of docs/reports/bulk-benchmarks.md. */
function pageOf(results) {
  const { memory, speed, folder, start } = results;
  return `${[
    "# Benchmarks of runs",
    `What a run over many documents costs: \`generateMany\` and \`runBulk\` beside what one would write by hand. \`npm run bench -- bulk\` writes this
page, its chart and [bulk-benchmarks.json](bulk-benchmarks.json), which has every figure of it; nobody edits them. Client and server share
the machine, and the service's time to render is not in it. What a single call costs: [benchmarks.md](benchmarks.md).`,
    ...(memory ? memoryPartOf(memory) : []),
    ...(speed ? speedPartOf(speed) : []),
    ...(folder ? folderPartOf(folder) : []),
    ...(start ? startPartOf(start) : []),
  ].join("\n\n")}\n`;
}

function memoryPartOf(part) {
  const { documents, bytes, inFlight, runs } = part;
  const rows = Object.entries(runs).map(([name, run]) => {
    const { rssMegabytes: rss, heapMegabytes: heap } = run;
    const early = rss[9] ?? Number.NaN;
    const late = rss.at(-1) ?? Number.NaN;
    return [
      name,
      ...[early, late].map((megabytes) => megabytes.toFixed(1)),
      (late / early).toFixed(2),
      ...[Math.max(...rss), Math.max(...heap)].map((megabytes) => megabytes.toFixed(1)),
      inDigits(run.perSecond),
      inDigits(run.cpuMicroseconds),
    ];
  });
  const columns = ["at 10 %", "at 100 %", "ratio", "highest", "heap, highest", "documents / s", "CPU µs"];
  return [
    `## Memory over ${documents.toLocaleString("en")} documents`,
    "![Memory of the process over the run](bulk-benchmarks.svg)",
    `The resident set of the client's process in MB, sampled after every hundredth of the run; the heap with garbage that was not collected
yet. Documents of ${sizeOf(bytes)}, ${inFlight} in flight; CPU time per document, of the client's process. \`runBulk\` has a sink that only reads,
and a journal: it remembers the hash of every key, which is why it grows. The last row goes on with the journal of the one before, and asks
for nothing.`,
    markdownTable(["RSS in MB", ...columns], rows),
    circumstancesOf(part),
  ];
}

function speedPartOf(part) {
  const { cells, rounds } = part;
  const ratios = [bareLoops.request, bareLoops.dispatch].flatMap((bare) => {
    const rows = cells.map((cell) => {
      const { wall, cpu } = ratioIn(cell, bare);
      return [nameOf(cell), wall.toFixed(2), cpu.toFixed(2), wall >= goal ? "reached" : "**missed**"];
    });
    const reached = rows.filter(([, , , verdict]) => verdict === "reached").length;
    return [
      `**generateMany ÷ a pool of \`${bare}\`**: ${goal} or more in ${reached} of ${rows.length} cells`,
      markdownTable(["", "documents / s", "by CPU time", `≥ ${goal}`], rows),
    ];
  });
  const names = Object.keys(cells[0]?.contenders ?? {});
  const figures = (key) =>
    markdownTable(
      [key === "perSecond" ? "documents / s" : "CPU µs", ...names],
      cells.map((cell) => [nameOf(cell), ...names.map((name) => inDigits(cell.contenders[name]?.[key]))]),
    );
  return [
    "## Documents per second",
    `\`generateMany\` with its default, \`bytes()\`, beside pools written by hand, each of so many lanes that take the next document as soon as
they have one. The bare loops hold the document and check its status and length; a run checks that it is a whole PDF, besides, and minds
clocks, retries and the pace. The best that undici can do is \`dispatch\`; what most would write is \`request\`. Medians of ${rounds} rounds of
fresh processes that take turns; each warms up first.`,
    ...ratios,
    figures("perSecond"),
    figures("cpuMicroseconds"),
    circumstancesOf(part),
  ];
}

function nameOf({ bytes, inFlight }) {
  return `${sizeOf(bytes)}, ${inFlight} in flight`;
}

function folderPartOf(part) {
  const { cells, rounds, inFlight } = part;
  const names = Object.keys(cells[0]?.writers ?? {});
  const rows = names.map((name) => [
    name,
    ...cells.flatMap(({ writers }) => [
      inDigits(writers[name]?.perSecond),
      inDigits(writers[name]?.cpuMicroseconds),
    ]),
  ]);
  const head = cells.flatMap(({ medium, bytes }) => [`${medium}, ${sizeOf(bytes)}: documents / s`, "CPU µs"]);
  return [
    "## Into a folder",
    `Every document in a file of its own, ${inFlight} in flight. \`writeFile\` leaves half a file behind where it is interrupted; \`saveTo()\` writes beside,
syncs and renames; \`runBulk\` writes its journal, too, and syncs it and the folder in groups. On a file system in memory (tmpfs), syncing costs
nothing: the difference is the price of the disk. Medians of ${rounds} rounds.`,
    markdownTable(["", ...head], rows),
    circumstancesOf(part),
  ];
}

function startPartOf(part) {
  const { perSecond, bytes, rounds } = part;
  const seconds = Object.values(perSecond)[0] ?? [];
  const rows = Object.entries(perSecond).map(([name, figures]) => [name, ...figures.map(inDigits)]);
  return [
    "## The first seconds",
    `How fast \`"auto"\` gets up to speed against a server that refuses nothing: documents of ${sizeOf(bytes)} in each second. It begins with a few, so
that a service that takes no more is not flooded. Medians of ${rounds} rounds.`,
    markdownTable(["second", ...seconds.map((_, index) => String(index + 1))], rows),
    circumstancesOf(part),
  ];
}
