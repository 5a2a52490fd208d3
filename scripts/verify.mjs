// @ts-check
// Runs all checks, then all tests, and prints the result in the last line. A failure does not stop the rest,
// and each failed check counts as one failure. `npm run verify runtimes page slow` also runs the tests of `npm run runtimes`, last.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./check.mjs";
import { run } from "./run-command.mjs";

const projects = ["source*", "waiting", "package", ...process.argv.slice(2)];

// Both need the build. After it, the checks use the time in which the tests wait.
await run("node", ["scripts/setup.mjs"]);
const [failedChecks, tests] = await Promise.all([check(), runTests()]);
const failed = failedChecks + tests.failed;

process.exitCode = failed > 0 ? 1 : 0;
console.log(`${tests.passed} passed, ${failed} failed`);

/** @returns {Promise<{ passed: number, failed: number }>} */
async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-verify-"));
  const results = join(folder, "results.json");
  try {
    const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
    const succeeded = await run("vitest", [...args, ...projects.map((project) => `--project=${project}`)]);
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
