import { readFileSync } from "node:fs";
import { yardstick } from "../../../bench/compare/contenders.mjs";
import { tableOf } from "../table-of.ts";
import type { Region } from "../written.ts";

interface Cell {
  readonly protocol: string;
  readonly bytes: number;
  readonly inFlight: number;
  readonly contenders: Readonly<Record<string, { readonly cpuMicroseconds: number }>>;
}

/** The names of the ways in the benchmark. */
const contenders: Readonly<Record<string, string>> = {
  "template-pdf": "template-pdf bytes()",
  fetch: "global fetch",
  undici: "undici request",
};

/** What each way to get a document makes of the same situations: as test/runtimes/comparison.test.ts and the benchmark saw it. */
const comparison: Region = () => {
  const came: Record<string, Record<string, string>> = read("docs/reports/comparison.json");
  const ways = Object.keys(Object.values(came)[0] ?? {});
  return tableOf(
    ["what happens", ...ways.map((way) => (way === "undici" ? "undici `request`" : way))],
    [
      ...Object.entries(came).map(([title, row]) => [title, ...ways.map((way) => row[way] ?? "")]),
      ...Object.entries(sizes).map(([size, cell]) => [
        `CPU time of a document of ${size}, in that of bare undici \`dispatch\``,
        ...ways.map((way) => cpuOf(way, cell)),
      ]),
      ["packages installed with it", ...ways.map(packagesOf)],
    ],
  );
};

export default comparison;

const { cells }: { readonly cells: readonly Cell[] } = read("docs/reports/benchmarks.json");
const cellOf = (bytes: number) =>
  cells.find((cell) => cell.protocol === "http" && cell.bytes === bytes && cell.inFlight === 20);
const sizes = { "2 kB": cellOf(2_000), "1 MB": cellOf(1_000_000) };

function cpuOf(way: string, cell: Cell | undefined): string {
  const microseconds = (name: string) => cell?.contenders[name]?.cpuMicroseconds ?? Number.NaN;
  const ratio = microseconds(contenders[way] ?? way) / microseconds(yardstick);
  if (!(ratio > 0)) throw new Error(`docs/reports/benchmarks.json has no figure for ${way}.`);
  return ratio.toFixed(2);
}

/** How many other packages come with a way; Node brings its own \`fetch\`. */
function packagesOf(way: string): string {
  if (way === "fetch") return "0";
  const lock = read(
    way === "template-pdf" || way === "undici" ? "package-lock.json" : "bench/peers/package-lock.json",
  );
  const seen = new Set<string>();
  const visit = (name: string, isRoot: boolean) => {
    const { dependencies = {} } =
      lock.packages[isRoot && way === "template-pdf" ? "" : `node_modules/${name}`] ?? {};
    for (const dependency of Object.keys(dependencies)) {
      if (!seen.has(dependency)) {
        seen.add(dependency);
        visit(dependency, false);
      }
    }
  };
  visit(way, true);
  return String(seen.size);
}

// biome-ignore lint/suspicious/noExplicitAny: files of our own, whose shape their writers decide.
function read(path: string): any {
  return JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));
}
