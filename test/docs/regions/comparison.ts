import { readFileSync } from "node:fs";
import { ratioIn } from "../../../bench/compare/page.mjs";
import type { CellResults, Results } from "../../../bench/compare/results.mjs";
import { tableOf } from "../markdown.ts";
import { cellOf, readMeasured } from "../measured.ts";
import type { Region } from "../written.ts";

/** The names of the ways in the benchmark, where they are other ones. */
const contenders: Readonly<Record<string, string>> = {
  "template-pdf": "template-pdf bytes()",
  fetch: "global fetch",
  undici: "undici request",
};

/** What each way to get a document makes of the same situations: as test/runtimes/comparison.test.ts and the benchmark saw it. */
const comparison: Region = () => {
  const came = readMeasured<Record<string, Record<string, string>>>("comparison.json");
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

const results = readMeasured<Results>("benchmarks.json");
const sizes = { "2 kB": cellOf(results, 2_000, 20), "1 MB": cellOf(results, 1_000_000, 20) };

function cpuOf(way: string, cell: CellResults): string {
  const name = contenders[way] ?? way;
  if (!(name in cell.contenders)) throw new Error(`docs/reports/benchmarks.json has no figure for ${way}.`);
  return ratioIn(cell, name);
}

/** How many other packages come with a way; Node brings its own `fetch`. */
function packagesOf(way: string): string {
  if (way === "fetch") return "0";
  const lock = read(
    way === "template-pdf" || way === "undici" ? "package-lock.json" : "bench/peers/package-lock.json",
  );
  const needsOf = (place: string): string[] => {
    const found = lock.packages[place];
    if (found === undefined) throw new Error(`No lockfile has ${place}, which ${way} needs.`);
    return Object.keys(found.dependencies ?? {});
  };
  const all = new Set(needsOf(way === "template-pdf" ? "" : `node_modules/${way}`));
  // A set also goes through what is added meanwhile.
  for (const name of all) for (const needed of needsOf(`node_modules/${name}`)) all.add(needed);
  return String(all.size);
}

// biome-ignore lint/suspicious/noExplicitAny: files of our own, whose shape their writers decide.
function read(path: string): any {
  return JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));
}
