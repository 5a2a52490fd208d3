import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureInTurn, mediansOf } from "./measure/in-turn.mjs";
import { bareStream, fileName, toFile } from "./measure/to-file.mjs";
import { isWhole } from "./servers/big-content.mjs";
import { startProgram } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { existingFolder } from "./shared/options.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { mib: 1_024, folder: tmpdir(), rounds: 3 };

export const usage = `Saves one large document with template-pdf, undici and fetch. It measures peak memory, CPU time and duration, and compares every byte.

  --mib <n>         size of the document in MiB (default: 1024)
  --folder <path>   folder for the document (default: the folder for temporary files)
  --rounds <n>      rounds of each contender (default: 3)`;

export async function run({ mib, folder: parent, rounds }) {
  const size = mib * 1_024 * 1_024;
  const folder = makeTemporaryFolder("big-body", existingFolder(parent));
  const origin = await startProgram("big.mjs");
  describeMachine();
  for (const framing of ["", "-chunked"]) {
    const head = [`${mib} MiB${framing.replace("-", ", ")}`, "peak MB", "× bare", "CPU s", "× bare", "s"];
    const print = printTable(head);
    const plan = { origin, bytes: `${size}${framing}`, inFlight: 1, measured: { documents: 1 }, folder };
    const plans = Object.keys(toFile).map((contender) => ({ ...plan, contender }));
    const readings = await measureInTurn(plans, rounds, {
      check: async ({ contender }) => {
        const path = join(folder, fileName);
        if (!(await isWhole(path, size)))
          throw new Error(`${contender} did not save the document correctly.`);
        rmSync(path);
      },
    });
    const bare = figuresOf(readings.get(bareStream));
    for (const [name, all] of readings) {
      const { peak, cpu, seconds } = figuresOf(all);
      const ratios = [peak / bare.peak, cpu / bare.cpu].map((ratio) => ratio.toFixed(2));
      print([name, peak.toFixed(0), ratios[0], cpu.toFixed(2), ratios[1], seconds.toFixed(1)]);
    }
  }
}

function figuresOf(readings) {
  const medians = mediansOf(readings, ["peakMegabytes", "cpuMicroseconds", "perSecond"]);
  return { peak: medians.peakMegabytes, cpu: medians.cpuMicroseconds / 1e6, seconds: 1 / medians.perSecond };
}
