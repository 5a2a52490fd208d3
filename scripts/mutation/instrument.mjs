// @ts-check
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { outputOf, root, run } from "../run-command.mjs";

/** Stryker 10 needs Node 22. It is installed on demand, because few people run it. */
const version = "9.6.1";
const name = "@stryker-mutator/instrumenter";
const cache = join(root, "node_modules/.cache/mutation");

/**
 * A small change of the source. The code contains all mutants, and a global selects the active one.
 *
 * @typedef {{ id: string, file: string, line: number, column: number, mutator: string, replacement: string }} Mutant
 */

/**
 * Copies the repository into a folder and adds all mutants to the selected sources.
 *
 * @param {string} folder - emptied first
 * @param {readonly string[]} patterns - patterns of `git ls-files`, for example `src/call`
 * @returns {Promise<Mutant[]>}
 */
export async function copyWithMutants(folder, patterns) {
  await install();
  rmSync(folder, { recursive: true, force: true });
  for (const file of filesOf(".")) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  for (const ready of ["node_modules", "dist"])
    symlinkSync(join(root, ready), join(folder, ready), "junction");
  const files = filesOf(...patterns).filter((file) => /^src\/.*\.ts$/.test(file));
  if (files.length === 0) return [];
  const load = (/** @type {string} */ path) =>
    import(pathToFileURL(join(cache, "node_modules", name, "dist/src", path)).href);
  const [{ Instrumenter }, { createParser }, { print }, { transform }] = await Promise.all(
    ["index.js", "parsers/index.js", "printers/index.js", "transformers/index.js"].map(load),
  );
  const silent = new Proxy({}, { get: (_, member) => () => String(member).startsWith("is") && false });
  const instrumenter = new Instrumenter(silent, createParser, print, transform);
  const sources = files.map((file) => {
    return { name: join(folder, file), content: readFileSync(join(root, file), "utf8"), mutate: true };
  });
  const options = { plugins: null, ignorers: [], excludedMutations: [], noHeader: false };
  const result = await instrumenter.instrument(sources, options);
  for (const file of result.files) writeFileSync(file.name, file.content);
  return result.mutants.map((/** @type {any} */ { id, fileName, location, mutatorName, replacement }) => ({
    id,
    file: relative(folder, fileName),
    line: location.start.line + 1,
    column: location.start.column + 1,
    mutator: mutatorName,
    replacement,
  }));
}

/** @param {string[]} patterns */
function filesOf(...patterns) {
  const { stdout } = outputOf("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns]);
  return stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
}

async function install() {
  const manifest = join(cache, "node_modules", name, "package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version) return;
  console.log(`mutation: installing ${name} ${version} into ${relative(root, cache)}`);
  const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  if (!(await run("npm", ["install", "--prefix", cache, ...flags, `${name}@${version}`], { quiet: true })))
    process.exit(1);
}
