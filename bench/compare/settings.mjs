// @ts-check
import { parseArgs } from "node:util";
import { cells, nameOf } from "./cells.mjs";
import { allContenders, compared, yardstick } from "./contenders.mjs";

/** How long a run takes on two cores. */
export const durations = { full: "25 to 30 minutes", quick: "under two minutes" };

export const usage = `npm run bench -- [options]

Without options it measures everything, in ${durations.full}.

  --quick              ${durations.quick}: only HTTP with 20 in flight, and one round of all but bytes() and bare dispatch
  --only <pattern>     only contenders whose name matches; bare dispatch is always among them
  --cells <pattern>    only cells whose name matches, as in "http, 2 kB" or "tls, 1 MB, 20 in"
  --rounds <number>    so many rounds of everyone
  --server nginx|node  which server; without it nginx where there is one
  --json <file>        writes the results there
  --write              writes docs/reports/benchmarks.*, which a full run does by itself
  --page               measures nothing, and writes the page anew from docs/reports/benchmarks.json`;

/** @typedef {import("./contender-process.mjs").Span} Span */

/**
 * @typedef {object} Settings
 * @property {"full" | "quick" | "part"} kind - a part is neither everything nor the quick choice
 * @property {readonly string[]} contenders
 * @property {readonly import("./cells.mjs").Cell[]} cells
 * @property {(contender: string) => number} roundsOf
 * @property {(bytes: number) => { warmUp: Span, measured: Span }} spansOf
 * @property {"nginx" | "node" | undefined} server
 * @property {string | undefined} json - a path
 * @property {boolean} write
 * @property {boolean} onlyPage
 */

/**
 * @param {readonly string[]} args - of the command line
 * @returns {Settings}
 */
export function readSettings(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      cells: { type: "string" },
      rounds: { type: "string" },
      server: { type: "string" },
      json: { type: "string" },
      write: { type: "boolean", default: false },
      page: { type: "boolean", default: false },
    },
  });
  const { quick, only, rounds, server } = values;
  if (server !== undefined && server !== "nginx" && server !== "node") {
    throw new Error(`--server is nginx or node, not "${server}".`);
  }
  if (rounds !== undefined && !/^[1-9]\d*$/.test(rounds)) {
    throw new Error(`--rounds is a whole number above 0, not "${rounds}".`);
  }
  const ofQuick = cells.filter(({ protocol, inFlight }) => protocol === "http" && inFlight === 20);
  const chosenCells = matching(quick && !values.cells ? ofQuick : cells, values.cells, nameOf);
  const chosen = matching(allContenders, only, (name) => name);
  if (chosenCells.length === 0) throw new Error(`--cells matches none of ${cells.map(nameOf).join("; ")}.`);
  if (chosen.length === 0) throw new Error(`--only matches none of ${allContenders.join(", ")}.`);

  const contenders = allContenders.filter((name) => name === yardstick || chosen.includes(name));
  const isEverything = only === undefined && values.cells === undefined && rounds === undefined;
  const kind = isEverything ? (quick ? "quick" : "full") : "part";
  return {
    kind,
    contenders,
    cells: chosenCells,
    roundsOf: (name) => Number(rounds ?? (compared.has(name) ? (quick ? 3 : 5) : quick ? 1 : 3)),
    spansOf: quick ? quickSpansOf : fullSpansOf,
    server,
    json: values.json,
    write: values.write || kind === "full",
    onlyPage: values.page,
  };
}

/**
 * Everybody is measured compiled and not while it is being compiled: `fetch` takes thousands of documents for that,
 * and stands still in between, so no rule that looks for an end of the descent would find it.
 *
 * @param {number} bytes
 */
function fullSpansOf(bytes) {
  const documents = bytes < 10_000 ? 5_000 : bytes < 100_000 ? 3_000 : 300;
  return {
    warmUp: { documents, cpuMilliseconds: 1_200 },
    measured: { documents: bytes < 100_000 ? 1_000 : 100, cpuMilliseconds: 500 },
  };
}

/** @param {number} bytes */
function quickSpansOf(bytes) {
  const documents = bytes < 100_000 ? 1_000 : 50;
  return { warmUp: { documents, cpuMilliseconds: 1_200 }, measured: { documents, cpuMilliseconds: 300 } };
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {string | undefined} pattern
 * @param {(one: T) => string} nameOf
 */
function matching(all, pattern, nameOf) {
  if (pattern === undefined) return all;
  const expression = new RegExp(pattern, "i");
  return all.filter((one) => expression.test(nameOf(one)));
}
