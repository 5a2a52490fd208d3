// @ts-check
// Mutation testing: changes the code in every small way, one change at a time, and lists the changes that no test detects.
// Run it by hand; `npm run verify` does not. The words behind `npm run mutation --` select the files:
//   (nothing)              every file that has unit tests of its own, in turn
//   src/call/pdf-check.ts  these files, in turn
//   rest                   the files of the core without unit tests, in one run of an hour or more
//   core                   the whole core: its files with unit tests in turn, then `rest`; prints one score in the end
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run-command.mjs";

/** Stryker 10 needs Node 22. It is not a dependency: every clone would install its 167 packages, and few people run it. */
const version = "9.6.1";
const cache = "node_modules/.cache/mutation";

/** What a call does, by real sockets. */
const calls =
  "test/client/{answers,broken-documents,cancellation,closing,errors,forms,hooks,keys,mocks,progress,retries*,unread}.test.ts";

/**
 * The unit tests of each file that has some, by its path below `src`.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const testsOf = {
  "browser/download": ["test/browser/*.test.ts"],
  "browser/object-url": ["test/browser/*.test.ts"],
  "browser/read-blob": ["test/browser/*.test.ts"],
  "bulk/bulk-run": ["test/bulk/run-bulk.test.ts"],
  "bulk/canonical-text": ["test/bulk/canonical-text.test.ts"],
  "bulk/failure-groups": ["test/bulk/failure-groups.test.ts"],
  "bulk/folder/folder": ["test/bulk/run-bulk.test.ts", "test/bulk/folder/folder*.test.ts"],
  "bulk/folder/inner-path": ["test/bulk/folder/inner-path.test.ts"],
  "bulk/folder/placeholders": ["test/bulk/run-bulk.test.ts"],
  "bulk/job-tries": ["test/bulk/{tries,endings,generate-many}.test.ts"],
  "bulk/run": ["test/bulk/{generate-many,endings,run-bulk}.test.ts"],
  "bulk/turns": ["test/bulk/{tries,endings,generate-many}.test.ts"],
  "handler/ask": ["test/handler/*.test.ts"],
  "call/api-error": ["test/api-error.test.ts"],
  "call/attempt": [calls, "test/client/timeouts*.test.ts"],
  "call/attempt-errors": ["test/attempt-errors.test.ts"],
  "call/attempt-timeouts": ["test/client/timeouts*.test.ts"],
  "call/body": ["test/body*.test.ts"],
  "call/call": [calls, "test/client/timeouts-total.test.ts", "test/bulk/{tries,endings}.test.ts"],
  "call/chunks": ["test/chunks.test.ts", "test/memory-sink.test.ts"],
  "call/linked-list": ["test/linked-list.test.ts"],
  "call/pdf-check": ["test/pdf-check.test.ts"],
  "call/retry-policy": ["test/retry-policy*.test.ts"],
  "call/timer": ["test/timer*.test.ts"],
  "document/pending-pdf": [calls],
  "document/memory-sink": ["test/memory-sink.test.ts"],
  "document/filename": ["test/filename.test.ts", "test/service/content-disposition.test.ts"],
  "errors/error-contents": ["test/redact*.test.ts", "test/client/callers-secrets.test.ts"],
  "errors/escapes": ["test/escapes.test.ts", "test/secret-key.test.ts"],
  "errors/redact": ["test/redact*.test.ts", "test/client/callers-secrets.test.ts"],
  "errors/retry-after": ["test/retry-after.test.ts", "test/retry-policy*.test.ts"],
  "errors/secret-key": ["test/secret-key.test.ts", "test/redact.test.ts"],
  "errors/secret-words": [
    "test/secret-phrases.test.ts",
    "test/redact*.test.ts",
    "test/client/readable-refusals.test.ts",
  ],
  "handler/create-handler": ["test/handler/*.test.ts"],
  "handler/options": ["test/handler/*.test.ts"],
  "handler/origins": ["test/handler/*.test.ts"],
  "handler/problem-for-error": ["test/handler/*.test.ts"],
  "handler/run-own-function": ["test/handler/*.test.ts"],
  "handler/watched": ["test/handler/*.test.ts"],
  "options/client-options": ["test/client/{options,keys,pages}.test.ts", "test/timeouts-and-retry.test.ts"],
  "options/call-options": ["test/client/{options,keys,pages}.test.ts", "test/timeouts-and-retry.test.ts"],
  "options/hooks": ["test/client/hooks.test.ts"],
  "options/option-rules": ["test/{option-rules,timeouts-and-retry}.test.ts"],
  "options/retry": ["test/timeouts-and-retry.test.ts"],
  "options/timeouts": ["test/timeouts-and-retry.test.ts"],
  "request/api-key": ["test/api-key.test.ts", "test/client/{keys*,pages,options}.test.ts"],
  "request/headers": ["test/{headers,url}.test.ts", "test/client/pages.test.ts"],
  "request/schema": ["test/template*.test.ts"],
  "request/url": ["test/url.test.ts", "test/client/{options,pages}.test.ts"],
  "request/values": ["test/values*.test.ts"],
  "runtime/environment": ["test/{environment,loopback}.test.ts"],
  template: ["test/template.test.ts"],
};

const testsOfRest = ["test/*.test.ts", "test/{client,files,transport,faults}/**/*.test.ts"];

/** The folders of the core, and its files directly in `src`. */
const core =
  /^src\/(?:(?:call|document|errors|files|options|request|runtime|transport)\/[^/]+|client|template)\.ts$/;

/** Files that hold only types and exports. */
const withoutCode = /(?:^src\/index|types|\.d)\.ts$/;

const given = process.argv.slice(2);
const selected = given.length > 0 ? given : pathsWithTests();
const runs = selected.flatMap((what) =>
  what === "core" ? [...pathsWithTests().filter((path) => core.test(path)), "rest"] : [what],
);

const missing = runs.filter((what) => what !== "rest" && !existsSync(join(root, what)));
if (missing.length > 0) {
  console.error(`mutation: no such file: ${missing.join(", ")}. Give a path such as src/call/pdf-check.ts.`);
  process.exit(1);
}
await install();
let succeeded = true;
/** @type {string[]} */
const statuses = [];
for (const what of runs) {
  const name = what.replace(/^src\/|\.ts$/g, "");
  const files = what === "rest" ? filesOfRest() : [what];
  succeeded = (await mutate(name, files, testsOf[name] ?? testsOfRest)) && succeeded;
  statuses.push(...statusesIn(name));
}
console.log(`\nmutation: ${scoreOf(statuses)}`);
process.exit(succeeded ? 0 : 1);

/**
 * @param {string} name
 * @param {readonly string[]} files
 * @param {readonly string[]} tests
 */
function mutate(name, files, tests) {
  Object.assign(process.env, {
    MUTATION_NAME: reportName(name),
    MUTATION_TESTS: tests.join(" "),
    // The same cases in every run: a change that a test detects by chance is not detected.
    FUZZ_RUNS: "100",
    FUZZ_SEED: "1",
  });
  rmSync(reportOf(name), { force: true });
  console.log(`\nmutation: ${name}`);
  const stryker = join(cache, "node_modules/@stryker-mutator/core/bin/stryker.js");
  return run("node", [stryker, "run", "scripts/mutation.config.mjs", "--mutate", files.join(",")]);
}

function pathsWithTests() {
  return Object.keys(testsOf).map((name) => `src/${name}.ts`);
}

/** The files of the core that have no unit tests of their own. */
function filesOfRest() {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => core.test(path) && !withoutCode.test(path) && !pathsWithTests().includes(path));
}

/** @param {string} name */
function reportName(name) {
  return name.replaceAll("/", "-");
}

/** @param {string} name */
function reportOf(name) {
  return join(root, cache, `${reportName(name)}.json`);
}

/**
 * Reads what became of each mutant of a run; none if the run failed and wrote no report.
 *
 * @param {string} name
 * @returns {string[]}
 */
function statusesIn(name) {
  if (!existsSync(reportOf(name))) return [];
  /** @type {{ files: Record<string, { mutants: { status: string }[] }> }} */
  const report = JSON.parse(readFileSync(reportOf(name), "utf8"));
  return Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
}

/**
 * The score of all runs as Stryker counts it: the share of valid mutants that were detected.
 *
 * @param {readonly string[]} all
 */
function scoreOf(all) {
  const detected = all.filter((status) => status === "Killed" || status === "Timeout").length;
  const undetected = all.filter((status) => status === "Survived" || status === "NoCoverage").length;
  const valid = detected + undetected;
  return valid === 0
    ? "no mutants were tested"
    : `${((100 * detected) / valid).toFixed(2)} %, ${detected} of ${valid} mutants were detected`;
}

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
