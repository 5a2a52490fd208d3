// @ts-check

const cache = "node_modules/.cache/mutation";

/** What scripts/mutation.mjs runs Stryker with. */
export default {
  // Named by its path, because it is not installed beside this file.
  plugins: [`./${cache}/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutation.config.ts" },
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 5_000,
  ignorePatterns: ["dist", "demo", "docs", "bench", "*.tgz", ".mutation"],
  // Not `incremental`: it takes a change for unnoticed that a new test would notice.
  tempDirName: ".mutation",
  reporters: ["clear-text", "html", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `${cache}/report.html` },
  allowEmpty: false,
  disableTypeChecks: false,
};
