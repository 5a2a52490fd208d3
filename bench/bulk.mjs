import { pageFilesOf } from "./bulk/page.mjs";
import { parts } from "./bulk/parts.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { existingFolder, UsageError } from "./shared/options.mjs";
import { readReport, writeReports } from "./shared/reports.mjs";

export const defaults = { part: "", documents: 1_000_000, folder: ".", quick: false, page: false };

export const usage = `Measures runs of many documents: memory, documents per second, saving to a folder, and the first seconds.
It takes about 12 minutes. It writes each part to docs/reports/bulk-benchmarks.*, except with --quick or --documents.

  --part <name>      run only ${Object.keys(parts).join(", ")}
  --documents <n>    documents of each run in the part memory, a multiple of 100 (default: 1,000,000)
  --folder <path>    folder for the part folder, which measures its disk (default: .)
  --quick            measure fewer cells, rounds and documents in about two minutes
  --page             only regenerate docs/reports/bulk-benchmarks.* from the JSON file`;

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
    // Writes each part immediately, because it takes minutes to measure.
    if (!quick && documents === defaults.documents) {
      writeReports(pageFilesOf({ ...JSON.parse(readReport(file)), [name]: results }));
    }
  }
}
