// @ts-check
// All static checks of the repository.
// `npm run verify` runs these checks, and then the tests.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compiler, run } from "./run-command.mjs";

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const layers = await report("layers", run("vitest", ["run", "test/architecture.test.ts"], { quiet: true }));
  if ((await check()) > 0 || !layers) process.exit(1);
}

/** @returns {Promise<number>} how many checks failed */
export async function check() {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-check-"));
  try {
    // Only some checks need the build, which keeps less than two cores busy.
    const built = run("node", ["scripts/setup.mjs"]);
    const packed = built.then((isBuilt) => (isBuilt ? pack(folder) : undefined));
    const results = await Promise.all([
      report("format and lint", run("biome", ["check"], { quiet: true })),
      report("types", run("node", [compiler, "--noEmit"], { quiet: true })),
      report("spelling", run("cspell", ["lint", "--no-progress"], { quiet: true })),
      report("unused code and dependencies", run("knip", [], { quiet: true })),
      report("regular expressions", run("node", ["scripts/regular-expressions.mjs"], { quiet: true })),
      report(
        "size of the browser bundle",
        built.then((isBuilt) => isBuilt && run("size-limit", [], { quiet: true })),
      ),
      report("package manifest", ofTarball("publint", ["--strict"])),
      report("package types", ofTarball("attw", [])),
    ]);
    return results.filter((passed) => !passed).length;

    /**
     * @param {string} tool
     * @param {readonly string[]} args
     */
    async function ofTarball(tool, args) {
      const tarball = await packed;
      return tarball !== undefined && run(tool, [...args, tarball], { quiet: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @returns {Promise<string | undefined>} the tarball that npm would publish
 */
async function pack(folder) {
  const args = ["pack", "--ignore-scripts", "--pack-destination", folder];
  if (!(await run("npm", args, { quiet: true }))) return undefined;
  return readdirSync(folder).map((file) => join(folder, file))[0];
}

/**
 * @param {string} title
 * @param {Promise<boolean>} check
 */
async function report(title, check) {
  const passed = await check;
  console.log(`check: ${title}: ${passed ? "passed" : "FAILED"}`);
  return passed;
}
