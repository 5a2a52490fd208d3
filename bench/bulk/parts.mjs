import { existsSync, rmSync } from "node:fs";
import { measure, measureInTurn, mediansOf } from "../measure/in-turn.mjs";
import { bareLoops, generateMany, loops, writers } from "../measure/many.mjs";
import { serverName, startProgram } from "../servers/start.mjs";
import { makeTemporaryFolder } from "../shared/at-end.mjs";
import { fourDigits, medianOf, sizeOf } from "../shared/figures.mjs";

const keys = ["cpuMicroseconds", "perSecond"];
const small = 2_000;
const inFlight = 20;

/** The number of documents to measure, and to warm up with, by size. */
const documentsOf = new Map([
  [small, 15_000],
  [50_000, 4_000],
  [1_000_000, 200],
]);

export const parts = {
  memory: measureMemory,
  speed: measureSpeed,
  folder: measureFolder,
  start: measureStart,
};

/**
 * Measures the memory of long runs: with the service's endpoint and with raw sockets, without and with a journal, and when
 * resuming with a journal that contains every job.
 */
async function measureMemory({ documents }) {
  const endpoint = await startProgram("endpoint.mjs");
  const raw = await startProgram("raw.mjs");
  const folder = makeTemporaryFolder("bulk");
  const plan = { bytes: small, inFlight, measured: { documents }, samples: true, folder };
  const plans = {
    "generateMany, the service's endpoint": { ...plan, contender: generateMany, origin: endpoint },
    "generateMany, raw sockets": { ...plan, contender: generateMany, origin: raw },
    "runBulk, raw sockets": { ...plan, contender: "runBulk", origin: raw },
    "runBulk, all finished before": { ...plan, contender: "runBulk", origin: raw },
  };
  const runs = {};
  for (const [name, plan] of Object.entries(plans)) {
    const reading = await measure(plan);
    const { rssSamples: rssMegabytes, heapSamples: heapMegabytes } = reading;
    runs[name] = { ...mediansOf([reading], keys), rssMegabytes, heapMegabytes };
    console.log(`${name}: ${rssMegabytes[9]} MB at 10 %, ${rssMegabytes.at(-1)} MB at 100 %`);
  }
  return { documents, bytes: small, inFlight, runs };
}

/** Measures documents per second and CPU time of runs and of hand-written pools. */
async function measureSpeed({ quick }) {
  const rounds = quick ? 1 : 3;
  const names = quick ? [...Object.values(bareLoops), generateMany] : loops;
  const origin = await startProgram("raw.mjs");
  const cells = [];
  for (const inFlight of quick ? [20] : [1, 8, 20, 64]) {
    for (const [bytes, documents] of documentsOf) {
      const span = { documents };
      const plans = names.map((contender) => {
        return { contender, origin, bytes, inFlight, warmUp: span, measured: span };
      });
      const cell = { inFlight, bytes, contenders: await figuresOf(plans, rounds) };
      cells.push(cell);
      const ratios = Object.values(bareLoops).map((bare) => {
        const { wall, cpu } = ratioIn(cell, bare);
        return `${wall.toFixed(2)} × the documents per second of ${bare}, ${cpu.toFixed(2)} by CPU time`;
      });
      console.log(`${sizeOf(bytes)}, ${inFlight} in flight: ${ratios.join("; ")}`);
    }
  }
  return { server: serverName, rounds, cells };
}

/** Measures the cost of saving each document, from \`writeFile\` to \`runBulk\`. */
async function measureFolder({ quick, folder }) {
  const sizes = quick ? [small] : [small, 50_000];
  const rounds = quick ? 1 : 3;
  const documents = quick ? 750 : 1_800;
  const origin = await startProgram("raw.mjs");
  const cells = [];
  for (const [medium, parent] of Object.entries({ disk: folder, memory: "/dev/shm" })) {
    if (!existsSync(parent)) continue;
    for (const bytes of sizes) {
      const plans = Object.keys(writers).map((contender) => {
        const warmUp = { documents: documents / 3 };
        return { contender, origin, bytes, inFlight, warmUp, measured: { documents } };
      });
      const ofWriters = await figuresOf(plans, rounds, {
        prepare: (plan) => ({ ...plan, folder: makeTemporaryFolder("bulk", parent) }),
        check: async ({ folder = "" }) => rmSync(folder, { recursive: true }),
      });
      cells.push({ medium, bytes, writers: ofWriters });
      const figures = Object.entries(ofWriters).map(([name, { perSecond }]) => `${name} ${perSecond}`);
      console.log(`${sizeOf(bytes)}, ${medium}, documents per second: ${figures.join("; ")}`);
    }
  }
  return { server: serverName, rounds, inFlight, cells };
}

/** Measures how fast `"auto"` speeds up with a server without a limit. */
async function measureStart({ quick }) {
  const rounds = quick ? 1 : 3;
  const seconds = 10;
  const origin = await startProgram("raw.mjs");
  const perSecond = {};
  for (const inFlight of [64, "auto"]) {
    const span = { documents: 0, seconds };
    const plan = { contender: generateMany, origin, bytes: small, inFlight, measured: span };
    const readings = (await measureInTurn([plan], rounds)).get(generateMany) ?? [];
    const figures = Array.from({ length: seconds }, (_, at) =>
      medianOf(readings.map(({ eachSecond }) => eachSecond[at] ?? Number.NaN)),
    );
    perSecond[`concurrency ${inFlight}`] = figures.map(fourDigits);
    console.log(`concurrency ${inFlight}: ${figures.join(" ")}`);
  }
  return { server: serverName, rounds, bytes: small, perSecond };
}

/** Returns the speed of a run as a multiple of that of a bare loop, by time and by CPU time. */
export function ratioIn({ contenders }, bare) {
  const one = contenders[generateMany];
  const other = contenders[bare];
  return { wall: one.perSecond / other.perSecond, cpu: other.cpuMicroseconds / one.cpuMicroseconds };
}

async function figuresOf(plans, rounds, options) {
  const readings = await measureInTurn(plans, rounds, options);
  return Object.fromEntries([...readings].map(([name, all]) => [name, mediansOf(all, keys)]));
}
