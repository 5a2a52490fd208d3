import { isOurs, ourBytes, yardstick } from "../measure/contenders.mjs";
import { sizeOf } from "../shared/figures.mjs";
import { nameOf } from "./settings.mjs";

/** The goals for `bytes()` with HTTP and 20 in flight, relative to the CPU time of bare dispatch, by size. */
const goals = new Map([
  [2_000, 1.25],
  [50_000, 0.95],
  [1_000_000, 0.9],
]);

/** The goal for all other output methods, except web streams. */
const mostOfAny = 1.5;
const exempt = "template-pdf stream()";

/** Returns each goal with the measured ratio. */
export function goalsOf({ cells }) {
  const ofBytes = [...goals].map(([bytes, limit]) => {
    const cell = cells.find(
      (candidate) => candidate.protocol === "http" && candidate.bytes === bytes && candidate.inFlight === 20,
    );
    const ratio = cell ? ratioOf(cell, ourBytes) : Number.NaN;
    const text = `\`bytes()\`, ${sizeOf(bytes)}, 20 in flight, HTTP`;
    return { text, limit, ratio, reached: isWithin(ratio, limit) };
  });
  const readings = cells.flatMap((cell) =>
    Object.keys(cell.contenders)
      .filter((name) => isOurs(name) && name !== exempt)
      .map((name) => ({ name: `${name}, ${nameOf(cell)}`, ratio: ratioOf(cell, name) })),
  );
  const [worst] = readings.sort((one, other) => other.ratio - one.ratio);
  const ratio = worst?.ratio ?? Number.NaN;
  const text = `the slowest output method except \`stream()\`: ${worst?.name ?? "not measured"}`;
  return [...ofBytes, { text, limit: mostOfAny, ratio, reached: isWithin(ratio, mostOfAny) }];
}

/** Returns the CPU time relative to bare dispatch, or NaN if one of them was not measured. */
export function ratioOf({ contenders }, contender, base = yardstick) {
  const own = contenders[contender]?.cpuMicroseconds ?? Number.NaN;
  return own / (contenders[base]?.cpuMicroseconds ?? Number.NaN);
}

/** Compares with the two digits that the page shows. */
function isWithin(ratio, limit) {
  return Number(ratio.toFixed(2)) <= limit;
}
