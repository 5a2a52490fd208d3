// @ts-check
// Mutation testing with Stryker: makes small changes to the code, one at a time, and lists those that no test detects.
// `npm run verify` does not include it. `npm run mutation -- src/call/pdf-check.ts` mutates one file, `core` mutates the core, and `all`
// also bulk, the handler and the service. Options after `--` go to Stryker: `npm run mutation -- core -- --ignoreStatic`.
// Do not run it as root: a mutant may make a test replace a device such as /dev/full.
import { existsSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root, run } from "./run-command.mjs";

/** Stryker 10 needs Node 22. It is installed on demand, because few people run it, and where it finds Vitest. */
const version = "9.6.1";
const cache = join(root, "node_modules/.cache/mutation");
const packages = join(cache, "node_modules/@stryker-mutator");

const core = [
  "client.ts",
  "template.ts",
  "call",
  "document",
  "errors",
  "files",
  "options",
  "request",
  "runtime",
  "transport",
].map((name) => `src/${name}`);
/** @type {Readonly<Record<string, readonly string[]>>} */
const groups = { core, all: [...core, "src/bulk", "src/handler", "src/service"] };

const args = process.argv.slice(2);
const end = args.includes("--") ? args.indexOf("--") : args.length;
const paths = args.slice(0, end).flatMap((name) => groups[name] ?? [name]);
const unknown = paths.find((path) => !existsSync(join(root, path)));
if (paths.length === 0 || unknown !== undefined) {
  console.error(
    `mutation: expected files or folders such as src/call/pdf-check.ts, \`core\` or \`all\`, got "${unknown ?? ""}".`,
  );
  process.exit(2);
}
await install();
const patterns = paths.map((path) => (statSync(join(root, path)).isDirectory() ? `${path}/**/*.ts` : path));
// The same random cases in every run, so that no mutant is killed by chance.
Object.assign(process.env, { FUZZ_RUNS: "12", FUZZ_SEED: "1", CI: "true" });
const stryker = [join(packages, "core/bin/stryker.js"), "run", "scripts/mutation/stryker.config.json"];
const options = [
  ...["--plugins", join(packages, "vitest-runner/dist/src/index.js")],
  ...["--tempDirName", join(tmpdir(), "template-pdf-mutation")],
  ...["--mutate", patterns.join(",")],
];
if (!(await run("node", [...stryker, ...options, ...args.slice(end + 1)]))) process.exit(1);

async function install() {
  const manifest = join(packages, "core/package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version) return;
  console.log(`mutation: installing Stryker ${version} into ${relative(root, cache)}`);
  const names = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${version}`);
  // Vitest, which Stryker's runner needs as a peer, is the one of the repository.
  const flags = ["--no-save", "--no-package-lock", "--legacy-peer-deps", "--ignore-scripts", "--no-audit"];
  if (!(await run("npm", ["install", "--prefix", cache, ...flags, ...names], { quiet: true })))
    process.exit(1);
}
