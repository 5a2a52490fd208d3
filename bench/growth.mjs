// @ts-check
// Does a document cost the same whether it is the tenth or the millionth, alone or one of a thousand in flight?
// CPU time and memory, ours beside bare undici, every point in a fresh process.
// `npm run growth`; `npm run growth -- --help` tells the options.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { yardstick as bare, ourBytes as ours } from "./compare/contenders.mjs";
import { busyWarningOf, describeMachine } from "./compare/machine.mjs";
import { killAtEnd } from "./shared/at-end.mjs";
import { readCommandLine } from "./shared/command-line.mjs";
import { readingFrom } from "./shared/reading-from.mjs";
import { medianOf } from "./shared/statistics.mjs";

/** @typedef {{ microseconds: number, rss: number, heap: number }} Reading */
/** @typedef {{ bare: Reading, ours: Reading }} Pair */
/** @typedef {{ at: number, documents: number, inFlight: number }} Point */

const usage = `npm run growth -- [--quick]

What a document costs from 10 to 1,000,000 of them, and from 1 to 1,000 in flight; about ten minutes.
  --quick  fewer points and documents, up to 100,000: one to two minutes`;
const { quick: isQuick } = readCommandLine(
  usage,
  (args) => parseArgs({ args, options: { quick: { type: "boolean", default: false } } }).values,
);

/** What grows by no more of itself is flat; and what grows by so much more than bare undici does is steeper. */
const margin = 0.15;
const meaning = `flat: grows by at most ${100 * margin} % of itself; steeper: by over ${100 * margin} % more than bare undici does`;

/** A few documents take no time, and are the harder to measure. */
const rounds = { many: 3, few: isQuick ? 5 : 9 };

const server = killAtEnd(fork(new URL("server.mjs", import.meta.url)));
const [port] = await once(server, "message");
const origin = `http://127.0.0.1:${port}`;

const documents = (isQuick ? [10, 10_000, 100_000] : [10, 100, 1_000, 10_000, 100_000, 1_000_000]).map(
  (count) => ({ at: count, documents: count, inFlight: 20 }),
);
const inFlight = (isQuick ? [1, 20, 1_000] : [1, 10, 20, 50, 100, 200, 500, 1_000]).map((count) => ({
  at: count,
  documents: isQuick ? 20_000 : 100_000,
  inFlight: count,
}));
/** @type {Readonly<Record<string, (reading: Reading) => number>>} */
const metrics = {
  "CPU µs": ({ microseconds }) => microseconds,
  "RSS MB": ({ rss }) => rss / 1e6,
  "heap MB": ({ heap }) => heap / 1e6,
};

try {
  const machine = describeMachine();
  console.log(`2 kB a document, dispatch of bare undici and bytes() of ours, Node ${process.version},`);
  console.log(`medians of ${rounds.many} rounds, of ${rounds.few} up to 1,000 documents;`);
  console.log(`${machine.cores} cores, load ${machine.loadBefore} at the start`);
  const warning = busyWarningOf(machine);
  if (warning) console.log(warning.trimEnd());
  // Fewer than 10,000 are over too soon for their cost to be more than a guess.
  const byDocuments = await judged("documents, 20 in flight", documents, 10_000);
  // A document alone also pays for waking the process, which costs now this and now twice as much.
  const byInFlight = await judged("in flight", inFlight, 20);
  console.log(["", meaning, ...byDocuments, ...byInFlight].join("\n"));
} finally {
  server.kill();
}

/**
 * Prints a row per point.
 *
 * @param {string} title
 * @param {readonly Point[]} points
 * @param {number} from - the point from which growth counts
 * @returns {Promise<string[]>} what is to be said of all points, per metric
 */
async function judged(title, points, from) {
  const heads = Object.keys(metrics).map((metric) => `${metric}: dispatch  bytes()  ratio`.padStart(35));
  console.log(`\n${title.padEnd(25)}${heads.join("")}`);
  /** @type {Map<number, Pair>} */
  const readings = new Map();
  for (const point of points) {
    const reading = await measure(point);
    readings.set(point.at, reading);
    const cells = Object.values(metrics).map((read) => cellsOf(read(reading.bare), read(reading.ours)));
    console.log(`${point.at.toLocaleString("en").padStart(10).padEnd(25)}${cells.join("")}`);
  }
  const first = readings.get(from);
  const [to, last] = [...readings].at(-1) ?? [];
  if (!first || to === undefined || !last) throw new Error(`No point is to be measured at ${from}.`);
  const range = `from ${from.toLocaleString("en")} to ${to.toLocaleString("en")} ${title}`;
  return Object.entries(metrics).map(([metric, read]) => {
    const start = read(first.ours);
    const growth = read(last.ours) - start;
    const usual = read(last.bare) - read(first.bare);
    const isNoSteeper = growth <= usual * (1 + margin);
    const word = growth <= start * margin ? "flat" : isNoSteeper ? "no steeper than bare undici" : "steeper";
    return `${metric} ${range}: ${start.toFixed(1)} ${signed(growth)}, bare undici ${signed(usual)}: ${word}`;
  });
}

/** @param {number} number */
function signed(number) {
  return `${number < 0 ? "−" : "+"} ${Math.abs(number).toFixed(1)}`;
}

/** @param {number} undici @param {number} own */
function cellsOf(undici, own) {
  return (
    undici.toFixed(1).padStart(18) +
    own.toFixed(1).padStart(9) +
    (own / undici).toFixed(2).padStart(7)
  ).padStart(35);
}

/**
 * The medians of both contenders at one point, in alternating rounds.
 *
 * @param {Point} point
 * @returns {Promise<Pair>}
 */
async function measure(point) {
  /** @type {{ bare: Reading[], ours: Reading[] }} */
  const readings = { bare: [], ours: [] };
  for (let round = 0; round < (point.documents > 1_000 ? rounds.many : rounds.few); round++) {
    readings.bare.push(await readingOf(bare, point));
    readings.ours.push(await readingOf(ours, point));
  }
  return { bare: mediansOf(readings.bare), ours: mediansOf(readings.ours) };
}

/**
 * @param {string} contender
 * @param {Point} point
 * @returns {Promise<Reading>}
 */
async function readingOf(contender, { documents, inFlight }) {
  const program = new URL("growth-process.mjs", import.meta.url);
  const args = [contender, origin, documents, inFlight].map(String);
  return readingFrom(killAtEnd(fork(program, args)), contender);
}

/**
 * @param {readonly Reading[]} readings
 * @returns {Reading}
 */
function mediansOf(readings) {
  /** @param {keyof Reading} key */
  const median = (key) => medianOf(readings.map((reading) => reading[key]));
  return { microseconds: median("microseconds"), rss: median("rss"), heap: median("heap") };
}
