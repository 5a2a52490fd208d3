// @ts-check
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("SIGINT", () => {
  for (const tests of running) stop(tests);
  process.exit(130);
});

/**
 * @param {import("./rounds.mjs").Settings} settings
 * @param {readonly string[]} args
 * @param {Record<string, string>} environment
 */
export function startTests({ folder, results, tests }, args, environment) {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const log = openSync(join(results, "tests.log"), "a");
  const own = {
    MUTATION_ROOT: folder,
    MUTATION_FOLDER: results,
    MUTATION_TESTS: tests,
    // Use the same random cases in every run, so that no mutant is killed by chance.
    FUZZ_RUNS: "12",
    FUZZ_SEED: "1",
    CI: "true",
  };
  const config = join(folder, "scripts/mutation/vitest.config.ts");
  const child = spawn(process.execPath, [vitest, "run", "--config", config, "--reporter=dot", ...args], {
    cwd: folder,
    env: { ...process.env, ...own, ...environment },
    // Its own process group, so that its child processes can be killed with it.
    detached: true,
    stdio: ["ignore", log, log],
  });
  // The child has its own copy, and one run starts more than a thousand children.
  closeSync(log);
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** @param {import("node:child_process").ChildProcess} tests */
export function stop(tests) {
  try {
    process.kill(-Number(tests.pid), "SIGKILL");
  } catch {
    // All processes have ended.
  }
}

/**
 * @param {import("node:child_process").ChildProcess} tests
 * @returns {Promise<boolean>} whether it exited normally, with results
 */
export function exitOf(tests) {
  return new Promise((resolve) => tests.on("exit", (code) => resolve(code === 0 || code === 1)));
}
