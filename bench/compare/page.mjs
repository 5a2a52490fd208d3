import { compared, isOurs, yardstick } from "../measure/contenders.mjs";
import { inDigits, inTwoDigits } from "../shared/figures.mjs";
import { circumstancesOf } from "../shared/machine.mjs";
import { markdownTable } from "../shared/tables.mjs";
import { ratioOf, textOf } from "./results.mjs";
import { durations, nameOf } from "./settings.mjs";

const extents = {
  full: "This is a full run.",
  quick:
    "**This is a quick run** with fewer cells and rounds, and a warm-up that is too short for the slower clients.",
  part: "**This is a partial run** without all contenders and cells.",
};

/** Returns the files for docs/reports by name. */
export function pageFilesOf(results) {
  return { "benchmarks.json": textOf(results), "benchmarks.md": pageOf(results) };
}

/** Returns docs/reports/benchmarks.md. */
function pageOf({ kind, savedTo, versions, cells, ...circumstances }) {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const roundsOf = (name) => cells[0]?.contenders[name]?.rounds.length ?? 0;
  const others = Object.keys(cells[0]?.contenders ?? {}).find((name) => !compared.has(name)) ?? yardstick;
  return `# Benchmarks

This page compares the cost of one document in template-pdf, bare undici and other HTTP clients. \`npm run bench\` generates this page and
[benchmarks.json](benchmarks.json). A full run takes ${durations.full}, a quick one ${durations.quick}. \`npm run bench -- --help\` lists the options.

## Method

${extents[kind]} ${circumstancesOf(circumstances)} Client and server run on the same machine. Versions: ${named.join(", ")}.
\`saveTo()\` and \`writeFile\` write to ${savedTo}.

- Each client sends the same JSON values with the key, reads the complete body, and checks the status and the length, with idiomatic code. Connections stay
  open. \`template-pdf\` is the built package with its default checks, timeouts and retries.
- Each figure comes from a new process, which warms up first. The processes alternate in rounds: ${roundsOf(yardstick)} for ${[...compared.values()].join(" and ")}, ${roundsOf(others)} for all others.
  The figures are medians of the rounds. Compare only within a table: absolute times depend on the machine.
- CPU time is user and system time of the client process with all its threads. Latency is the time from the call to the complete document. Memory is the
  peak resident set of the process.
- Bare dispatch collects the chunks of a document in a list and joins them at the end. \`bytes()\` copies them into place as they arrive, which needs less
  memory and CPU time for documents of more than one chunk.
- \`stream()\` is read to the end, and its bytes are counted. \`saveTo()\` replaces the file of the previous document. "undici dispatch, writeFile" writes the
  same file directly, and leaves an incomplete file if it is interrupted. \`saveTo()\` checks the folder, syncs and renames: see
  [the cost of saving](../decisions/0016-cost-of-saving.md).

The benchmarks do not measure rendering, the network, compressed responses, HTTP/2, failures, or runtimes other than Node.

## Figures

**Bold** rows are this package.

${inOrder(cells).map(cellOf).join("\n\n")}
`;
}

/** Returns a table with all figures of a cell. */
export function cellOf(cell) {
  const rows = Object.entries(cell.contenders).map(([name, figures]) => [
    isOurs(name) ? `**${name}**` : name,
    inDigits(figures.cpuMicroseconds),
    `${inDigits(Math.min(...figures.rounds))} – ${inDigits(Math.max(...figures.rounds))}`,
    inTwoDigits(ratioOf(cell, name)),
    inDigits(figures.perSecond),
    inDigits(figures.peakMegabytes),
    inDigits(figures.p50Ms),
    inDigits(figures.p99Ms),
  ]);
  const head = ["CPU µs", "of the rounds", "× bare", "documents / s", "peak MB", "p50 ms", "p99 ms"];
  return `### ${nameOf(cell)}\n\n${markdownTable(["", ...head], rows)}`;
}

function inOrder(cells) {
  return [...cells].sort(
    (one, other) =>
      one.protocol.localeCompare(other.protocol) || one.inFlight - other.inFlight || one.bytes - other.bytes,
  );
}
