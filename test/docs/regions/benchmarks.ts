import { ratioIn } from "../../../bench/compare/page.mjs";
import type { Results } from "../../../bench/compare/results.mjs";
import { tableOf } from "../markdown.ts";
import { cellOf, readMeasured } from "../measured.ts";
import type { Region } from "../written.ts";

/** Figures of docs/reports/benchmarks.json and bulk-benchmarks.json, by what they are about: `cpu`, `memory`, `runs`, `start`. */
const benchmarks: Region = (what = "") => {
  const write = figures[what];
  if (write === undefined) throw new Error(`There are no figures \`${what}\`.`);
  return write();
};

export default benchmarks;

const figures: Readonly<Record<string, () => string>> = {
  cpu() {
    const results = readMeasured<Results>("benchmarks.json");
    const cells = [2_000, 50_000, 1_000_000].map((bytes) => cellOf(results, bytes, 20));
    const rows = Object.keys(cells[0]?.contenders ?? {}).map((name) => [
      name,
      ...cells.map((cell) => ratioIn(cell, name)),
    ]);
    return `${tableOf(["× bare dispatch", "2 kB", "50 kB", "1 MB"], rows)}\n\n${placeOf(results)}`;
  },

  memory() {
    const results = readMeasured<Results>("benchmarks.json");
    const cells = [1, 20, 200].map((inFlight) => cellOf(results, 1_000_000, inFlight));
    const names = Object.keys(cells[0]?.contenders ?? {}).filter((name) =>
      /^(?:template-pdf|undici dispatch$|global fetch)/.test(name),
    );
    const peaks = (name: string) =>
      cells.map(({ contenders }) => String(Math.round(contenders[name]?.peakMegabytes ?? Number.NaN)));
    return tableOf(
      ["peak of the process, MB", "1 in flight", "20", "200"],
      names.map((name) => [name, ...peaks(name)]),
    );
  },

  runs() {
    const { memory } = readMeasured<BulkResults>("bulk-benchmarks.json");
    const rows = Object.entries(memory.runs).map(([name, { rssMegabytes }]) => [
      name,
      String(Math.round(rssMegabytes[Math.ceil(rssMegabytes.length / 10) - 1] ?? Number.NaN)),
      String(Math.round(rssMegabytes.at(-1) ?? Number.NaN)),
    ]);
    const head = [`MB of ${memory.documents.toLocaleString("en-US")} documents`, "at 10 %", "at 100 %"];
    return `${tableOf(head, rows)}\n\n${placeOf(memory)}`;
  },

  start() {
    const { start } = readMeasured<BulkResults>("bulk-benchmarks.json");
    const entries = Object.entries(start.perSecond);
    const seconds = entries[0]?.[1].map((_, index) => String(index + 1)) ?? [];
    const rows = entries.map(([name, counts]) => [
      name.replace(/^concurrency (.*)$/, (_, given) => (given === "auto" ? '`"auto"`' : `\`${given}\``)),
      ...counts.map((count) => Math.round(count).toLocaleString("en-US")),
    ]);
    return `${tableOf(["`concurrency`, second", ...seconds], rows)}\n\n${placeOf(start)}`;
  },
};

interface Reading {
  readonly date: string;
  readonly machine: Results["machine"];
  readonly server?: string;
  readonly savedTo?: string;
}

interface BulkResults {
  readonly memory: Reading & {
    readonly documents: number;
    readonly runs: Readonly<Record<string, { readonly rssMegabytes: readonly number[] }>>;
  };
  readonly start: Reading & { readonly perSecond: Readonly<Record<string, readonly number[]>> };
}

/** Where it was measured; and that something else ran beside it, where that was so. */
function placeOf({ date, machine, server, savedTo }: Reading): string {
  const { node, cores, processor, platform, loadBefore } = machine;
  const where = `${date}, Node ${node}, ${cores} cores (${processor}), ${platform}${server ? `; ${server}` : ""}${savedTo ? `; files go to ${savedTo}` : ""}`;
  return loadBefore > cores ? `${where}. The machine was busy, and the figures are rough.` : `${where}.`;
}
