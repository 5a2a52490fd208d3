// @ts-check
// Mutation testing: changes the code in every small way, one change at a time, and lists the changes that no test detects.
// Run it by hand; `npm run verify` does not. `npm run mutation -- src/call/pdf-check.ts` is one file, with all tests that load it;
// `--tests "test/pdf-check*.test.ts"` names those to run, which is faster. `npm run mutation -- core` is the core, which takes half a day.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, run } from "./run-command.mjs";

/** Stryker 10 needs Node 22. It is not a dependency: every clone would install its 167 packages, and few people run it. */
const version = "9.6.1";
const cache = "node_modules/.cache/mutation";

const core = [
  "src/{client,template}.ts",
  "src/{call,document,errors,files,options,request,runtime,transport}/**/*.ts",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: "string", default: "test/**/*.test.ts" } },
});
const files = positionals.flatMap((path) => (path === "core" ? core : [path]));
if (files.length === 0) {
  console.error("mutation: name files such as src/call/pdf-check.ts, or `core`.");
  process.exit(2);
}

await install();
Object.assign(process.env, {
  MUTATION_TESTS: values.tests,
  // The same cases in every run: a change that a test detects by chance is not detected.
  FUZZ_RUNS: "100",
  FUZZ_SEED: "1",
});
const stryker = join(cache, "node_modules/@stryker-mutator/core/bin/stryker.js");
const succeeded = await run("node", [stryker, "run", "stryker.config.mjs", "--mutate", files.join(",")]);
process.exit(succeeded ? 0 : 1);

async function install() {
  const manifest = join(root, cache, "node_modules/@stryker-mutator/core/package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version) return;
  console.log(`mutation: installing Stryker ${version} into ${cache}`);
  const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${version}`);
  // Without its peers: it is to find the vitest of the repository.
  const flags = ["--no-save", "--no-package-lock", "--legacy-peer-deps", "--ignore-scripts"];
  const args = ["install", "--prefix", cache, ...flags, ...packages];
  if (!(await run("npm", args, { quiet: true }))) process.exit(1);
}
