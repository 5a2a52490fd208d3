import { existsSync, rmSync } from "node:fs";
import { measure, measureInTurn, mediansOf } from "../measure/in-turn.mjs";
import { bareLoops, generateMany, loops, writers } from "../measure/many.mjs";
import { serverName, startProgram } from "../servers/start.mjs";
import { makeTemporaryFolder } from "../shared/at-end.mjs";
import { fourDigits, medianOf, sizeOf } from "../shared/figures.mjs";

const keys = ["cpuMicroseconds", "perSecond"];
const small = 2_000;
const inFlight = 20;

/** How many documents a second are measured, by their size. As many warm up first. */
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
 * What a long run holds on its way: against the service's endpoint and against raw sockets, without a journal and
 * with one, and when it goes on with a journal that has every job.
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

/** Documents per second and CPU time of a run, beside those of pools written by hand. */
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

/** What it costs to save every document, from a bare write of the file to a run that survives a crash. */
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

/** How soon `"auto"` gets up to speed against a server that takes everything. */
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

/** How many documents a run makes in the time, and in the CPU time, that a bare loop takes for one. */
export function ratioIn({ contenders }, bare) {
  const one = contenders[generateMany];
  const other = contenders[bare];
  return { wall: one.perSecond / other.perSecond, cpu: other.cpuMicroseconds / one.cpuMicroseconds };
}

async function figuresOf(plans, rounds, options) {
  const readings = await measureInTurn(plans, rounds, options);
  return Object.fromEntries([...readings].map(([name, all]) => [name, mediansOf(all, keys)]));
}
