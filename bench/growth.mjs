// Does a document cost the same whether it is the tenth or the millionth, alone or one of a thousand in flight?
// CPU time and memory, ours beside bare undici, every point in a fresh process. `npm run growth`, or
// node bench/growth.mjs [--quick]
import { fork } from "node:child_process";
import { once } from "node:events";
import { yardstick as bare } from "./compare/contenders.mjs";

const ours = "template-pdf bytes()";
const isQuick = process.argv.includes("--quick");

/** What grows by no more of itself is flat; and what grows by so much more than bare undici does is steeper. */
const margin = 0.15;

const file = (name) => new URL(name, import.meta.url).pathname;
const server = fork(file("server.mjs"));
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
const metrics = {
  "CPU µs": ({ microseconds }) => microseconds,
  "RSS MB": ({ rss }) => rss / 1e6,
  "heap MB": ({ heap }) => heap / 1e6,
};

try {
  console.log(
    `medians at 2 kB a document, dispatch of bare undici and bytes() of ours, Node ${process.version}`,
  );
  // Fewer than 10,000 are over too soon for their cost to be more than a guess.
  const byDocuments = await judged("documents, 20 in flight", documents, 10_000);
  // A document alone also pays for waking the process, which costs now this and now twice as much.
  const byInFlight = await judged("in flight", inFlight, 20);
  console.log(["", ...byDocuments, ...byInFlight].join("\n"));
} finally {
  server.kill();
}

/**
 * Prints a row per point.
 *
 * @param from - the point from which growth counts
 * @returns what is to be said of all points, per metric
 */
async function judged(title, points, from) {
  const heads = Object.keys(metrics).map((metric) => `${metric}: dispatch  bytes()  ratio`.padStart(35));
  console.log(`\n${title.padEnd(25)}${heads.join("")}`);
  const readings = new Map();
  for (const point of points) {
    const reading = await measure(point);
    readings.set(point.at, reading);
    const cells = Object.values(metrics).map((read) => cellsOf(read(reading.bare), read(reading.ours)));
    console.log(`${point.at.toLocaleString("en").padStart(10).padEnd(25)}${cells.join("")}`);
  }
  const first = readings.get(from);
  const [to, last] = [...readings].at(-1);
  const range = `from ${from.toLocaleString("en")} to ${to.toLocaleString("en")} ${title}`;
  return Object.entries(metrics).map(([metric, read]) => {
    const start = read(first.ours);
    const growth = read(last.ours) - start;
    const usual = read(last.bare) - read(first.bare);
    const isNoSteeper = growth <= usual * (1 + margin);
    const word = growth <= start * margin ? "flat" : isNoSteeper ? "no steeper than bare undici" : "STEEPER";
    return `${metric} ${range}: ${start.toFixed(1)} ${signed(growth)}, bare undici ${signed(usual)}: ${word}`;
  });
}

function signed(number) {
  return `${number < 0 ? "−" : "+"} ${Math.abs(number).toFixed(1)}`;
}

function cellsOf(undici, own) {
  return (
    undici.toFixed(1).padStart(18) +
    own.toFixed(1).padStart(9) +
    (own / undici).toFixed(2).padStart(7)
  ).padStart(35);
}

/** The medians of both contenders at one point, in alternating rounds. */
async function measure({ documents, inFlight }) {
  // A few documents take no time, and are the harder to measure.
  const rounds = documents <= 1_000 ? 9 : documents <= 100_000 ? 3 : 2;
  const readings = { [bare]: [], [ours]: [] };
  for (let round = 0; round < (isQuick ? Math.ceil(rounds / 2) : rounds); round++) {
    for (const contender of Object.keys(readings)) {
      const child = fork(file("growth-process.mjs"), [contender, origin, documents, inFlight].map(String));
      const [reading] = await Promise.race([once(child, "message"), once(child, "exit")]);
      if (typeof reading !== "object" || !reading) throw new Error(`${contender} failed`);
      readings[contender].push(reading);
    }
  }
  return { bare: medians(readings[bare]), ours: medians(readings[ours]) };
}

function medians(readings) {
  const names = Object.keys(readings[0]);
  return Object.fromEntries(names.map((name) => [name, median(readings.map((reading) => reading[name]))]));
}

function median(numbers) {
  return numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
}
