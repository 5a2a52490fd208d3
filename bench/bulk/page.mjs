import { bareLoops } from "../measure/many.mjs";
import { panelsOf } from "../shared/chart.mjs";
import { inDigits, sizeOf } from "../shared/figures.mjs";
import { circumstancesOf } from "../shared/machine.mjs";
import { markdownTable } from "../shared/tables.mjs";
import { ratioIn } from "./parts.mjs";

/** The goal of a run, as a share of the documents per second of a bare loop. */
const goal = 0.9;

/** Returns the files for docs/reports by name. */
export function pageFilesOf(results) {
  const text = JSON.stringify(results, null, 2);
  return {
    // Puts the samples on one line.
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
    subtitle: `resident set over the run; the top of each panel is ${Math.ceil(most)} MB`,
    columns: 4,
    panels: runs.map(([title, { rssMegabytes: values }]) => {
      return { title, note: `${values.at(-1)} MB`, values, most, end: "100 %" };
    }),
  });
}

/** Returns docs/reports/bulk-benchmarks.md. */
function pageOf(results) {
  const { memory, speed, folder, start } = results;
  return `${[
    "# Bulk benchmarks",
    `This page compares \`generateMany\` and \`runBulk\` with hand-written loops. \`npm run bench -- bulk\` generates this page, its chart and
[bulk-benchmarks.json](bulk-benchmarks.json), which contains all figures. Client and server run on the same machine, and the server does not render.
[Benchmarks](benchmarks.md) shows the cost of a single call.`,
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
    `The table shows the resident set of the client process in MB, sampled 100 times. The heap includes garbage that was not collected yet. Each document has
${sizeOf(bytes)}, and ${inFlight} are in flight. CPU time is per document. \`runBulk\` uses a journal, and a sink that reads each document without storing it. The memory of
\`runBulk\` grows because it keeps a hash of every job key. The last row resumes the run of the previous row, and sends no request.`,
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
    `This section compares \`generateMany\` and its default \`bytes()\` with hand-written pools. The bare loops check the status and the length. \`generateMany\`
also checks that the PDF is complete, and handles timeouts, retries and the rate. \`dispatch\` is the fastest API of undici; \`request\` is the most common.
The figures are medians of ${rounds} rounds in new processes, which alternate and warm up first.`,
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
    "## Saving to a folder",
    `Each document is saved to its own file, with ${inFlight} in flight. An interrupted \`writeFile\` leaves an incomplete file. \`saveTo()\` writes a temporary file,
syncs it and renames it. \`runBulk\` also writes its journal, and syncs the journal and the folder in groups. Syncing costs nothing on a file system in
memory (tmpfs), so the difference is the cost of the disk. The figures are medians of ${rounds} rounds.`,
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
    `The table shows how fast \`"auto"\` speeds up with a server without a limit: documents of ${sizeOf(bytes)} in each second. \`"auto"\` starts with few requests, so
that it does not flood a slow service. The figures are medians of ${rounds} rounds.`,
    markdownTable(["second", ...seconds.map((_, index) => String(index + 1))], rows),
    circumstancesOf(part),
  ];
}
