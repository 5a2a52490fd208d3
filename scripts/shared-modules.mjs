// @ts-check
// Finds the files in `src` that more than one part of `dist` uses. The build writes them to one file, `#base`, so that each class exists
// once, and programs load few files at the start; see docs/decisions/0015.
import { resolve } from "node:path";
import { buildSync } from "esbuild";
import { root } from "./run-command.mjs";

/**
 * @param {readonly (readonly string[])[]} parts - the entry files of each part
 * @returns {Set<string>} the shared files, without entry files
 */
export function sharedModules(parts) {
  const starts = new Set(parts.flat());
  const imports = importsFrom([...starts]);
  /** @type {Map<string, number>} */
  const uses = new Map();
  for (const part of parts) {
    for (const path of reachable(part, starts, imports)) uses.set(path, (uses.get(path) ?? 0) + 1);
  }
  const shared = [...uses].filter(([, count]) => count > 1).map(([path]) => path);
  checkNames(shared);
  return new Set(shared.sort());
}

/**
 * @param {readonly string[]} part
 * @param {ReadonlySet<string>} starts - entry files of other parts
 * @param {ReadonlyMap<string, readonly string[]>} imports
 */
function reachable(part, starts, imports) {
  /** @type {Set<string>} */
  const found = new Set();
  const left = part.flatMap((path) => imports.get(path) ?? []);
  for (let path = left.pop(); path; path = left.pop()) {
    if (found.has(path) || starts.has(path)) continue;
    found.add(path);
    left.push(...(imports.get(path) ?? []));
  }
  return found;
}

/**
 * Returns the imports at run time of these files, and of all files that they import. Files that are only imported on demand are not
 * among the imports.
 *
 * @param {string[]} files
 */
function importsFrom(files) {
  const { inputs } = describe(files, true);
  const importsOf = Object.entries(inputs).map(([path, { imports }]) => {
    const own = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    return /** @type {const} */ ([resolve(root, path), own.map((one) => resolve(root, one.path))]);
  });
  return new Map(importsOf);
}

/**
 * Throws if two files export the same name, because `export *` would omit it.
 *
 * @param {string[]} files
 */
function checkNames(files) {
  /** @type {Map<string, string | undefined>} */
  const owners = new Map();
  for (const { entryPoint, exports } of Object.values(describe(files, false).outputs)) {
    for (const name of exports) {
      if (owners.has(name))
        throw new Error(`${entryPoint} and ${owners.get(name)} both export \`${name}\`. Rename one of them.`);
      owners.set(name, entryPoint);
    }
  }
}

/**
 * Returns what esbuild knows about files.
 *
 * @param {string[]} entryPoints
 * @param {boolean} bundle - whether to follow the imports
 */
function describe(entryPoints, bundle) {
  const external = bundle ? { external: ["#*"], packages: /** @type {const} */ ("external") } : {};
  const output = /** @type {const} */ ({ outdir: "unused", write: false, metafile: true, format: "esm" });
  return buildSync({ entryPoints, bundle, ...external, ...output, absWorkingDir: root }).metafile;
}
