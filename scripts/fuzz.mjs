// @ts-check
// Runs only the property tests, with 100,000 runs each instead of 300.
// `npm run fuzz -- test/call/pdf-check.test.ts` runs one file. FUZZ_RUNS and FUZZ_SEED set the number of runs and the seed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run-command.mjs";

const { FUZZ_RUNS = "100000" } = process.env;
Object.assign(process.env, { FUZZ_RUNS });

const given = process.argv.slice(2);
const files = given.length > 0 ? given : filesWithProperties();
const args = ["run", "--project", "source*", "--tags-filter", "property", "--reporter", "verbose"];
console.log(`fuzz: ${FUZZ_RUNS} runs of every property in ${files.length} files`);
process.exit((await run("vitest", [...args, "--hideSkippedTests", ...files])) ? 0 : 1);

/** Vitest would load all other files before it skips their tests. */
function filesWithProperties() {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => join("test", path))
    .filter((path) => readFileSync(join(root, path), "utf8").includes("/support/fuzz.ts"));
}
