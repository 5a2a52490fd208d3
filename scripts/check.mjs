// @ts-check
// Everything about the repository that can be proved without running the product.
// `node scripts/check.mjs` is also one half of `npm run verify`, which runs all tests itself.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./run-command.mjs";

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const floors = report("floors", run("vitest", ["run", "test/floors.test.ts"], { quiet: true }));
  if (check() > 0 || !floors) process.exit(1);
}

/** @returns {number} how many checks failed */
export function check() {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-check-"));
  try {
    const packed = run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { quiet: true });
    const tarball = join(folder, readdirSync(folder)[0] ?? "nothing-was-packed");
    const results = [
      report("lockfile", run("node", ["scripts/complete-lockfile.mjs", "--check"], { quiet: true })),
      report("format and lint", run("biome", ["check"], { quiet: true })),
      report("types", run("tsc", ["--noEmit"], { quiet: true })),
      report("unused code and dependencies", run("knip", [], { quiet: true })),
      report("bytes a page loads", run("size-limit", [], { quiet: true })),
      report("package manifest", packed && run("publint", ["--strict", tarball], { quiet: true })),
      report("package types", packed && run("attw", ["--profile", "node16", tarball], { quiet: true })),
    ];
    return results.filter((passed) => !passed).length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} title
 * @param {boolean} passed
 */
function report(title, passed) {
  console.log(`check: ${title}: ${passed ? "passed" : "FAILED"}`);
  return passed;
}
