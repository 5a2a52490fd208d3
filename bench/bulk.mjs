import { rmSync } from "node:fs";
import { measure, measureInTurn, mediansOf } from "./measure/in-turn.mjs";
import { bareLoops, generateMany, loops, writers } from "./measure/many.mjs";
import { startProgram } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { inDigits, sizeOf } from "./shared/figures.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { existingFolder, UsageError } from "./shared/options.mjs";
import { printTable } from "./shared/tables.mjs";

const parts = { memory: measureMemory, speed: measureSpeed, folder: measureFolder };

export const defaults = { part: "", documents: 1_000_000, folder: ".", quick: false };

export const usage = `Compares bulk runs with hand-written loops: memory, documents per second, and saving to a folder. It takes about 10 minutes.

  --part <name>      run only ${Object.keys(parts).join(", ")}
  --documents <n>    documents of each run in the part memory (default: 1,000,000)
  --folder <path>    folder for the part folder, which measures its disk (default: .)
  --quick            measure fewer cells, rounds and documents in about two minutes`;

const inFlight = 20;
const small = 2_000;

/** The number of documents to measure, and to warm up with, by size. */
const documentsOf = new Map([
  [small, 15_000],
  [50_000, 4_000],
  [1_000_000, 200],
]);

export async function run({ part, documents, folder, quick }) {
  const names = Object.keys(parts).filter((name) => part === "" || name === part);
  if (names.length === 0)
    throw new UsageError(`--part must be ${Object.keys(parts).join(", ")}, got "${part}".`);
  describeMachine();
  const settings = {
    origin: await startProgram("raw.mjs"),
    documents: quick ? Math.min(documents, 50_000) : documents,
    folder: existingFolder(folder),
    rounds: quick ? 1 : 3,
    quick,
  };
  for (const name of names) await parts[name](settings);
}

/** Measures the memory of long runs: without and with a journal, and when resuming with a journal that contains every job. */
async function measureMemory({ origin, documents }) {
  const folder = makeTemporaryFolder("bulk");
  const plan = { origin, bytes: small, inFlight, measured: { documents }, samples: true, folder };
  const print = printTable([`\nRSS in MB, ${documents} documents`, "at 10 %", "at 100 %", "documents / s"]);
  const runs = { generateMany, runBulk: "runBulk", "runBulk, all finished before": "runBulk" };
  for (const [name, contender] of Object.entries(runs)) {
    const { rssSamples, perSecond } = await measure({ ...plan, contender });
    print([name, rssSamples[0], rssSamples.at(-1), inDigits(perSecond)]);
  }
}

/** Measures the documents per second of runs and of hand-written pools, and compares the run with the bare pools. */
async function measureSpeed({ origin, quick, rounds }) {
  const names = quick ? [...bareLoops, generateMany] : loops;
  const print = printTable(["\ndocuments / s", ...names, ...bareLoops.map((bare) => `÷ ${bare}`)], 22);
  for (const inFlight of quick ? [20] : [1, 8, 20, 64]) {
    for (const [bytes, documents] of documentsOf) {
      const span = { documents };
      const plans = names.map((contender) => {
        return { contender, origin, bytes, inFlight, warmUp: span, measured: span };
      });
      const perSecond = await speedsOf(plans, rounds);
      const ratios = bareLoops.map((bare) => (perSecond[generateMany] / perSecond[bare]).toFixed(2));
      print([
        `${sizeOf(bytes)}, ${inFlight} in flight`,
        ...names.map((name) => inDigits(perSecond[name])),
        ...ratios,
      ]);
    }
  }
}

/** Measures the cost of saving each document, from `writeFile` to `runBulk`. */
async function measureFolder({ origin, quick, folder, rounds }) {
  const documents = quick ? 750 : 1_800;
  const names = Object.keys(writers);
  const print = printTable(["\nsaved documents / s", ...names], 22);
  for (const bytes of quick ? [small] : [small, 50_000]) {
    const plans = names.map((contender) => {
      return {
        contender,
        origin,
        bytes,
        inFlight,
        warmUp: { documents: documents / 3 },
        measured: { documents },
      };
    });
    const perSecond = await speedsOf(plans, rounds, {
      prepare: (plan) => ({ ...plan, folder: makeTemporaryFolder("bulk", folder) }),
      check: async ({ folder }) => rmSync(folder, { recursive: true }),
    });
    print([sizeOf(bytes), ...names.map((name) => inDigits(perSecond[name]))]);
  }
}

async function speedsOf(plans, rounds, options) {
  const readings = await measureInTurn(plans, rounds, options);
  return Object.fromEntries(
    [...readings].map(([name, all]) => [name, mediansOf(all, ["perSecond"]).perSecond]),
  );
}
