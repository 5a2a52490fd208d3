// @ts-check
// Changes the core in every small way there is, one at a time, and tells which changes no test noticed.
// `npm run mutation` does the files that have tests of their own, one after the other; `npm run mutation rest` all
// others of the core, which takes an hour or more; `npm run mutation src/call/pdf-check.ts` one of them.
// By hand, never in `verify`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run-command.mjs";

/**
 * Stryker 10 needs Node 22. It is no dependency, because every clone would install its 167 packages for what
 * hardly anyone runs.
 */
const version = "9.6.1";
const cache = "node_modules/.cache/mutation";

/**
 * What is proved by tests of its own, which take no time, and where they are if not under its name.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const testsOf = {
  "api-error": ["test/api-error.test.ts"],
  "api-key": ["test/api-key.test.ts", "test/client/keys.test.ts"],
  "attempt-errors": ["test/attempt-errors.test.ts"],
  body: ["test/body*.test.ts"],
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
  clock: ["test/clock.test.ts"],
  collector: ["test/collector.test.ts"],
  "content-length": ["test/content-length.test.ts"],
  chunks: ["test/chunks.test.ts", "test/collector.test.ts"],
  "error-contents": ["test/redact*.test.ts", "test/client/callers-secrets.test.ts"],
  escapes: ["test/escapes.test.ts", "test/secret-key.test.ts"],
  filename: ["test/filename.test.ts", "test/server/content-disposition.test.ts"],
  "handler/ask": ["test/handler/*.test.ts"],
  "handler/create-handler": ["test/handler/*.test.ts"],
  "handler/options": ["test/handler/*.test.ts"],
  "handler/origins": ["test/handler/*.test.ts"],
  "handler/refusal-of": ["test/handler/*.test.ts"],
  "handler/watched": ["test/handler/*.test.ts"],
  "options/client-options": ["test/client/{options,keys,pages}.test.ts", "test/timeouts-and-retry.test.ts"],
  "options/call-options": ["test/client/{options,keys,pages}.test.ts", "test/timeouts-and-retry.test.ts"],
  "options/hooks": ["test/client/hooks.test.ts"],
  "options/option-rules": ["test/{option-rules,timeouts-and-retry}.test.ts"],
  "options/retry": ["test/timeouts-and-retry.test.ts"],
  "options/timeouts": ["test/timeouts-and-retry.test.ts"],
  redact: ["test/redact*.test.ts", "test/client/callers-secrets.test.ts"],
  "request/api-key": ["test/api-key.test.ts", "test/client/{keys*,pages,options}.test.ts"],
  "request/headers": ["test/{headers,request}.test.ts", "test/client/pages.test.ts"],
  "request/schema": ["test/template*.test.ts"],
  "request/url": ["test/request.test.ts", "test/client/{options,pages}.test.ts"],
  "request/values": ["test/values*.test.ts"],
  retry: ["test/retry*.test.ts"],
  "retry-after": ["test/retry*.test.ts"],
  "runtime/environment": ["test/{environment,loopback}.test.ts"],
  "safe-filename": ["test/filename.test.ts", "test/server/content-disposition.test.ts"],
  "secret-key": ["test/secret-key.test.ts", "test/redact.test.ts"],
  template: ["test/template.test.ts"],
  verify: ["test/verify.test.ts"],
};

const testsOfRest = ["test/*.test.ts", "test/{client,files,transport,faults}/**/*.test.ts"];

/** What holds nothing but types and names. */
const withoutCode = /(?:^src\/index|types|\.d)\.ts$/;

const given = process.argv.slice(2);
const asked = given.length > 0 ? given : Object.keys(testsOf).map((name) => `src/${name}.ts`);

await install();
let succeeded = true;
for (const what of asked) {
  const name = what === "rest" ? what : what.replace(/^src\/|\.ts$/g, "");
  const files = what === "rest" ? rest() : [what];
  succeeded = (await mutate(name, files, testsOf[name] ?? testsOfRest)) && succeeded;
}
process.exit(succeeded ? 0 : 1);

/**
 * @param {string} name
 * @param {readonly string[]} files
 * @param {readonly string[]} tests
 */
function mutate(name, files, tests) {
  Object.assign(process.env, {
    MUTATION_NAME: name.replaceAll("/", "-"),
    MUTATION_TESTS: tests.join(" "),
    // The same things every time: a change that is noticed by chance is not noticed.
    FUZZ_RUNS: "100",
    FUZZ_SEED: "1",
  });
  console.log(`\nmutation: ${name}`);
  const stryker = join(cache, "node_modules/@stryker-mutator/core/bin/stryker.js");
  return run("node", [stryker, "run", "scripts/mutation.config.mjs", "--mutate", files.join(",")]);
}

/** The files of the core that have no tests of their own. */
function rest() {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => /^src\/(?:(?:transport|files)\/)?[^/]+\.ts$/.test(path) && !withoutCode.test(path))
    .filter((path) => !(path.slice("src/".length, -".ts".length) in testsOf));
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
