// @ts-check
import { join } from "node:path";
import { root } from "./run-command.mjs";

const { MUTATION_NAME = "some" } = process.env;
const cache = join(root, "node_modules/.cache/mutation");

/** What scripts/mutation.mjs runs Stryker with. */
export default {
  // Named by its path, because it is not installed beside this file.
  plugins: [join(cache, "node_modules/@stryker-mutator/vitest-runner/dist/src/index.js")],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutation.config.ts" },
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 5_000,
  ignorePatterns: ["dist", "demo", "docs", "bench", "*.tgz", ".mutation"],
  // Not `incremental`: it takes a change for unnoticed that a new test would notice.
  tempDirName: ".mutation",
  reporters: ["clear-text", "html", "json", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: join(cache, `${MUTATION_NAME}.html`) },
  jsonReporter: { fileName: join(cache, `${MUTATION_NAME}.json`) },
  thresholds: { high: 95, low: 90, break: null },
  allowEmpty: false,
  disableTypeChecks: false,
};
