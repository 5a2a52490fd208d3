// @ts-check
// Runs the checks and the tests at the same time, and prints the result in the last line. A failure does not stop the rest,
// and each failed check counts as one failure. `npm run verify runtimes page slow` runs the tests of `npm run runtimes` afterwards.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./check.mjs";
import { run } from "./run-command.mjs";

const others = process.argv.slice(2);

// The checks and the tests need the build. The checks and the installation of the runtimes use the time in which the tests wait.
// If the installation fails, test/runtimes/install.ts repeats it and reports the error.
await run("node", ["scripts/setup.mjs"]);
const [failedChecks, first] = await Promise.all([
  check(),
  runTests(["source*", "waiting", "package"]),
  others.includes("runtimes") && run("node", ["scripts/runtimes.mjs"]),
]);
// Starts with the files that took longest in the last run, or in a fresh clone with the largest, so that the run does not end
// with one of them alone.
const longestFirst = "--sequence.shuffle.files=false";
const second = others.length > 0 ? await runTests(others, longestFirst) : { passed: 0, failed: 0 };
const failed = failedChecks + first.failed + second.failed;

process.exitCode = failed > 0 ? 1 : 0;
console.log(`${first.passed + second.passed} passed, ${failed} failed`);

/**
 * @param {readonly string[]} projects
 * @param {string[]} options
 * @returns {Promise<{ passed: number, failed: number }>}
 */
async function runTests(projects, ...options) {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-verify-"));
  const results = join(folder, "results.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
    const selected = projects.map((project) => `--project=${project}`);
    const succeeded = await run("vitest", ["run", ...reporters, ...options, ...selected]);
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(results, "utf8"));
    // A file that cannot be loaded, or an error outside of tests, fails the run but no test.
    return { passed: numPassedTests, failed: succeeded ? numFailedTests : Math.max(numFailedTests, 1) };
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
