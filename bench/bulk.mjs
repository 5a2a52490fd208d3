import { pageFilesOf } from "./bulk/page.mjs";
import { parts } from "./bulk/parts.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { existingFolder, UsageError } from "./shared/options.mjs";
import { readReport, writeReports } from "./shared/reports.mjs";

export const defaults = { part: "", documents: 1_000_000, folder: ".", quick: false, page: false };

export const usage = `What a run over many documents costs: memory, documents a second, a folder of files, the first seconds.
About 12 minutes. It writes docs/reports/bulk-benchmarks.*, each part on its own, unless --quick or --documents is given.

  --part <name>      only ${Object.keys(parts).join(", ")}
  --documents <n>    of each run of the part memory, a multiple of 100; 1,000,000
  --folder <path>    where the part folder saves, to measure that disk; .
  --quick            fewer cells, rounds and documents: about two minutes
  --page             measures nothing; writes docs/reports/bulk-benchmarks.* from their JSON`;

const file = "bulk-benchmarks.json";

export async function run({ part, documents, folder, quick, page }) {
  if (page) return writeReports(pageFilesOf(JSON.parse(readReport(file))));
  const names = Object.keys(parts).filter((name) => part === "" || name === part);
  if (names.length === 0)
    throw new UsageError(`--part must be ${Object.keys(parts).join(", ")}, got "${part}".`);
  if (documents % 100 !== 0) throw new UsageError(`--documents must be a multiple of 100, got ${documents}.`);
  const ofMemory = quick ? Math.min(documents, 50_000) : documents;
  const settings = { quick, documents: ofMemory, folder: existingFolder(folder) };
  for (const name of names) {
    console.log(`\n${name}`);
    const machine = describeMachine();
    const date = new Date().toISOString().slice(0, 10);
    const figures = await parts[name](settings);
    const results = { date, machine, ...figures };
    // Each part is written as soon as it is measured, because it took minutes.
    if (!quick && documents === defaults.documents) {
      writeReports(pageFilesOf({ ...JSON.parse(readReport(file)), [name]: results }));
    }
  }
}
