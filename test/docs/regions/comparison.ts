import { readFileSync } from "node:fs";
import { ratioIn } from "../../../bench/compare/page.mjs";
import type { CellResults, Results } from "../../../bench/compare/results.mjs";
import { tableOf } from "../markdown.ts";
import { cellOf, readMeasured } from "../measured.ts";
import type { Region } from "../regenerate.ts";

/** The names of clients in the benchmark, if they differ. */
const contenders: Readonly<Record<string, string>> = {
  "template-pdf": "template-pdf bytes()",
  fetch: "global fetch",
  undici: "undici request",
};

/** Compares clients, with the results of test/runtimes/comparison.test.ts and of the benchmark. */
const comparison: Region = () => {
  const results = readMeasured<Record<string, Record<string, string>>>("comparison.json");
  const clients = Object.keys(Object.values(results)[0] ?? {});
  return tableOf(
    ["situation", ...clients.map((client) => (client === "undici" ? "undici `request`" : client))],
    [
      ...Object.entries(results).map(([title, row]) => [
        title,
        ...clients.map((client) => row[client] ?? ""),
      ]),
      ...Object.entries(sizes).map(([size, cell]) => [
        `CPU time for a document of ${size}, relative to undici \`dispatch\``,
        ...clients.map((client) => cpuOf(client, cell)),
      ]),
      ["dependencies installed with it", ...clients.map(dependenciesOf)],
    ],
  );
};

export default comparison;

const benchmarks = readMeasured<Results>("benchmarks.json");
const sizes = { "2 kB": cellOf(benchmarks, 2_000, 20), "1 MB": cellOf(benchmarks, 1_000_000, 20) };

function cpuOf(client: string, cell: CellResults): string {
  const name = contenders[client] ?? client;
  if (!(name in cell.contenders))
    throw new Error(`docs/reports/benchmarks.json has no figure for ${client}.`);
  return ratioIn(cell, name);
}

/** Counts the packages that an installation of a client adds. Node contains `fetch`. */
function dependenciesOf(client: string): string {
  if (client === "fetch") return "0";
  const lock = read(
    client === "template-pdf" || client === "undici" ? "package-lock.json" : "bench/peers/package-lock.json",
  );
  const namesIn = (path: string): string[] => {
    const found = lock.packages[path];
    if (found === undefined) throw new Error(`The lockfile does not contain ${path}, which ${client} needs.`);
    return Object.keys(found.dependencies ?? {});
  };
  const all = new Set(namesIn(client === "template-pdf" ? "" : `node_modules/${client}`));
  // The iteration includes names that are added during it.
  for (const name of all) for (const dependency of namesIn(`node_modules/${name}`)) all.add(dependency);
  return String(all.size);
}

// biome-ignore lint/suspicious/noExplicitAny: lock files, of which only a part is used.
function read(path: string): any {
  return JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));
}
