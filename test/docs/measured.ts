import { readFileSync } from "node:fs";
import type { CellResults, Results } from "../../bench/compare/results.mjs";

/** Reads figures that a bench has written into docs/reports. */
export function readMeasured<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../docs/reports/${name}`, import.meta.url), "utf8"));
}

/** What was measured of documents of so many bytes by HTTP. */
export function cellOf({ cells }: Results, bytes: number, inFlight: number): CellResults {
  const found = cells.find(
    (cell) => cell.protocol === "http" && cell.bytes === bytes && cell.inFlight === inFlight,
  );
  if (found === undefined) throw new Error(`Nobody has measured ${bytes} bytes, ${inFlight} in flight.`);
  return found;
}
