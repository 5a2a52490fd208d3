import { yardstick as bare, ourBytes as ours } from "./measure/contenders.mjs";
import { measureInTurn, mediansOf } from "./measure/in-turn.mjs";
import { startProgram } from "./servers/start.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { quick: false };

export const usage = `Measures whether CPU time and memory grow with the number of documents and of calls in flight, compared with bare undici.
Each point runs in a new process. It takes about ten minutes.

  --quick   measure fewer points and at most 100,000 documents, in one to two minutes`;

/** Growth up to this share counts as flat. Growth that exceeds that of bare undici by more counts as steeper. */
const margin = 0.15;

/** Enough documents to compile the code and open every connection. */
const warmUp = { documents: 20_000 };

/** The figures that are compared. */
const metrics = { cpuMicroseconds: "CPU µs", rssMegabytes: "RSS MB", heapMegabytes: "heap MB" };
const keys = Object.keys(metrics);

export async function run({ quick }) {
  const origin = await startProgram("raw.mjs");
  describeMachine();
  const counts = quick ? [10, 10_000, 100_000] : [10, 100, 1_000, 10_000, 100_000, 1_000_000];
  const lanes = quick ? [1, 20, 1_000] : [1, 10, 20, 50, 100, 200, 500, 1_000];
  const many = quick ? 20_000 : 100_000;
  const byCount = counts.map((at) => ({ at, documents: at, inFlight: 20 }));
  const byLanes = lanes.map((at) => ({ at, documents: many, inFlight: at }));
  // Fewer than 10,000 documents take too little time for a reliable figure.
  const first = await judge("documents, 20 in flight", byCount, 10_000, origin);
  // A single call in flight also measures the wake-up of the process, which can double the time.
  const second = await judge("in flight", byLanes, 20, origin);
  console.log(["", ...first, ...second].join("\n"));
}

/** Prints a row for each point. */
async function judge(title, points, from, origin) {
  console.log();
  const heads = Object.values(metrics).flatMap((metric) => [`${metric}, bare`, `${metric}, ours`, "ratio"]);
  const print = printTable([title, ...heads], 26);
  const readings = new Map();
  for (const { at, documents, inFlight } of points) {
    const plan = { origin, bytes: 2_000, inFlight, warmUp, measured: { documents } };
    // Short measurements need more rounds.
    const rounds = documents > 1_000 ? 3 : 9;
    const plans = [bare, ours].map((contender) => ({ ...plan, contender }));
    const both = await measureInTurn(plans, rounds);
    const [ofBare, ofOurs] = [bare, ours].map((name) => mediansOf(both.get(name), keys));
    readings.set(at, { ofBare, ofOurs });
    const cells = keys.flatMap((key) => [ofBare[key], ofOurs[key], ofOurs[key] / ofBare[key]]);
    print([at.toLocaleString("en"), ...cells.map((cell, index) => cell.toFixed(index % 3 === 2 ? 2 : 1))]);
  }
  const start = readings.get(from);
  const end = [...readings.values()].at(-1);
  return keys.map((key) => {
    const growth = end.ofOurs[key] - start.ofOurs[key];
    const usual = end.ofBare[key] - start.ofBare[key];
    const isParallel = growth <= usual * (1 + margin);
    const isFlat = growth <= start.ofOurs[key] * margin;
    const verdict = isFlat ? "flat" : isParallel ? "like bare undici" : "steeper";
    const words = `from ${start.ofOurs[key]} by ${growth.toFixed(1)}, bare undici by ${usual.toFixed(1)}`;
    return `${metrics[key]} over ${title}: ${words}: ${verdict}`;
  });
}
