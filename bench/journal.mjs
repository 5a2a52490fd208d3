import { statSync } from "node:fs";
import { join } from "node:path";
import { measure, measureInTurn, mediansOf } from "./measure/in-turn.mjs";
import { generateMany } from "./measure/many.mjs";
import { startProgram } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { existingFolder } from "./shared/options.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { lines: 1_000_000, folder: "." };

export const usage = `Measures the cost of the journal: a job of \`runBulk\` compared with \`generateMany\`, and resuming with a long journal.

  --lines <n>       lines of the long journal (default: 1000000)
  --folder <path>   folder of the journal, which measures its disk (default: .)`;

export async function run({ lines, folder }) {
  const parent = existingFolder(folder);
  const plan = { origin: await startProgram("raw.mjs"), bytes: 2_000 };
  describeMachine();
  const print = printTable(["a finished job, CPU µs", "without", "with", "jobs / s without", "with"]);
  for (const inFlight of [1, 8, 64, 512]) {
    const measured = { documents: Math.min(lines, inFlight * 1_000) };
    const plans = [generateMany, "runBulk"].map((contender) => {
      return { ...plan, contender, inFlight, warmUp: measured, measured };
    });
    const prepare = (plan) => ({ ...plan, folder: makeTemporaryFolder("journal", parent) });
    const readings = [...(await measureInTurn(plans, 3, { prepare })).values()];
    const medians = ["cpuMicroseconds", "perSecond"].flatMap((key) => {
      return readings.map((all) => mediansOf(all, [key])[key].toFixed(0));
    });
    print([`${inFlight} in flight`, ...medians]);
  }

  const saved = makeTemporaryFolder("journal", parent);
  const long = {
    ...plan,
    contender: "runBulk",
    inFlight: 512,
    measured: { documents: lines },
    folder: saved,
  };
  await measure(long);
  const { firstMs, cpuMicroseconds, rssMegabytes, heapMegabytes } = await measure(long);
  const megabytes = (statSync(join(saved, "run.journal")).size / 1e6).toFixed(0);
  console.log(`
Resuming with ${lines} lines (${megabytes} MB) takes ${firstMs.toFixed(0)} ms until the first job is read, and
${cpuMicroseconds.toFixed(1)} µs of CPU time for each job. The process then uses ${rssMegabytes.toFixed(0)} MB, of which ${heapMegabytes.toFixed(0)} MB are heap.`);
}
