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

/** How long a run takes on two cores. */
export const durations = { full: "25 to 30 minutes", quick: "under two minutes" };

/** Zero rounds are the usual ones. */
export const defaults = { quick: false, only: "", cells: "", rounds: 0, page: false };

/** What is to be measured; a part is neither everything nor the quick choice. */
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
 * Every contender is measured when it is compiled, not while it is being compiled. `fetch` takes thousands of documents for that,
 * with pauses in between, so that no rule that looks for an end of the descent would find it.
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
  if (found.length === 0) throw new UsageError(`${option} matches none of ${all.map(nameOf).join("; ")}.`);
  return found;
}
