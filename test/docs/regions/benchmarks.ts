import { ratioIn } from "../../../bench/compare/page.mjs";
import type { Results } from "../../../bench/compare/results.mjs";
import { tableOf } from "../markdown.ts";
import { cellOf, readMeasured } from "../measured.ts";

const shown = /^(?:template-pdf|undici dispatch|node:http|global fetch)/;

/** A table of the CPU time and memory of calls, from docs/reports/benchmarks.json. */
export default function benchmarks(): string {
  const results = readMeasured<Results>("benchmarks.json");
  const sizes = [2_000, 50_000, 1_000_000].map((bytes) => cellOf(results, bytes, 20));
  const loads = [1, 20, 200].map((inFlight) => cellOf(results, 1_000_000, inFlight));
  const names = Object.keys(sizes[0]?.contenders ?? {}).filter((name) => shown.test(name));
  const table = tableOf(
    ["", "CPU, 2 kB", "CPU, 50 kB", "CPU, 1 MB", "MB, 1 in flight", "MB, 20 in flight", "MB, 200 in flight"],
    names.map((name) => [
      name,
      ...sizes.map((cell) => ratioIn(cell, name)),
      ...loads.map(({ contenders }) => String(Math.round(contenders[name]?.peakMegabytes ?? Number.NaN))),
    ]),
  );
  return `${table}\n\n${describeMachine(results)}`;
}

/** Describes when and where the figures were measured, and whether the machine was busy. */
function describeMachine({ date, machine, server, savedTo }: Results): string {
  const { node, cores, processor, platform, loadBefore } = machine;
  const where = `${date}, Node ${node}, ${cores} cores (${processor}), ${platform}; ${server}; files in ${savedTo}`;
  return loadBefore > cores ? `${where}. The machine was busy, so the figures are approximate.` : `${where}.`;
}
