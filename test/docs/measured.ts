import { readFileSync } from "node:fs";
import type { CellResults, Results } from "../../bench/compare/results.mjs";

/** Reads the figures of a benchmark from docs/reports. */
export function readMeasured<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../docs/reports/${name}`, import.meta.url), "utf8"));
}

/** The figures for documents of this size over HTTP. */
export function cellOf({ cells }: Results, bytes: number, inFlight: number): CellResults {
  const found = cells.find(
    (cell) => cell.protocol === "http" && cell.bytes === bytes && cell.inFlight === inFlight,
  );
  if (found === undefined)
    throw new Error(`The benchmark has no figures for ${bytes} bytes, ${inFlight} in flight.`);
  return found;
}
