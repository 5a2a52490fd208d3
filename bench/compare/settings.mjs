import { allContenders, compared, yardstick } from "../measure/contenders.mjs";
import { sizeOf } from "../shared/figures.mjs";
import { UsageError } from "../shared/options.mjs";

const sizes = [2_000, 50_000, 1_000_000];

const cells = ["http", "tls"].flatMap((protocol) =>
  [20, 1, 200].flatMap((inFlight) => sizes.map((bytes) => ({ protocol, bytes, inFlight }))),
);

export function nameOf({ protocol, bytes, inFlight }) {
  return `${protocol.toUpperCase()}, ${sizeOf(bytes)}, ${inFlight} in flight`;
}

/** The duration of a run on two cores. */
export const durations = { full: "25 to 30 minutes", quick: "under two minutes" };

/** With 0 rounds, the default number is used. */
export const defaults = { quick: false, only: "", cells: "", rounds: 0, page: false };

/** Reads what to measure from the options. */
export function readSettings(options) {
  const { quick, only, rounds, cells: pattern } = { ...defaults, ...options };
  const ofQuick = cells.filter(({ protocol, inFlight }) => protocol === "http" && inFlight === 20);
  const chosenCells = matching("--cells", quick && !pattern ? ofQuick : cells, pattern, nameOf);
  const chosen = matching("--only", allContenders, only, (name) => name);
  const isEverything = only === "" && pattern === "" && rounds === 0;
  return {
    kind: isEverything ? (quick ? "quick" : "full") : "part",
    contenders: allContenders.filter((name) => name === yardstick || chosen.includes(name)),
    cells: chosenCells,
    roundsOf: (name) => rounds || (compared.has(name) ? (quick ? 3 : 5) : quick ? 1 : 3),
    spansOf: quick ? quickSpansOf : fullSpansOf,
  };
}

/**
 * Returns the spans of a full run. The warm-up must be long enough to compile every contender: `fetch` needs thousands of documents,
 * with phases without progress, so that the end of the warm-up cannot be detected automatically.
 */
function fullSpansOf(bytes) {
  const documents = bytes < 10_000 ? 5_000 : bytes < 100_000 ? 3_000 : 300;
  return spansOf(documents, bytes < 100_000 ? 1_000 : 100, 500);
}

function quickSpansOf(bytes) {
  const documents = bytes < 100_000 ? 1_000 : 50;
  return spansOf(documents, documents, 300);
}

function spansOf(unmeasured, documents, cpuMilliseconds) {
  return {
    warmUp: { documents: unmeasured, cpuMilliseconds: 1_200 },
    measured: { documents, cpuMilliseconds },
  };
}

function matching(option, all, pattern, nameOf) {
  const found = all.filter((one) => new RegExp(pattern, "i").test(nameOf(one)));
  if (found.length === 0) throw new UsageError(`${option} matches no name in ${all.map(nameOf).join("; ")}.`);
  return found;
}
