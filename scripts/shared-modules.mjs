// @ts-check
// Finds the files in `src` that more than one part of `dist` uses. The build writes them to one file, `#base`, so that each class exists
// once, and programs load few files at the start; see docs/decisions/0015.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * @param {readonly (readonly string[])[]} parts - the entry files of each part
 * @returns {Set<string>} the shared files, without entry files
 */
export function sharedModules(parts) {
  const starts = new Set(parts.flat());
  /** @type {Map<string, number>} */
  const uses = new Map();
  for (const part of parts) {
    for (const path of reachable(part, starts)) uses.set(path, (uses.get(path) ?? 0) + 1);
  }
  const shared = [...uses].filter(([, count]) => count > 1).map(([path]) => path);
  checkNames(shared);
  return new Set(shared.sort());
}

/**
 * @param {readonly string[]} part
 * @param {ReadonlySet<string>} starts - entry files of other parts
 */
function reachable(part, starts) {
  /** @type {Set<string>} */
  const found = new Set();
  const left = part.flatMap(importsOf);
  for (let path = left.pop(); path; path = left.pop()) {
    if (found.has(path) || starts.has(path)) continue;
    found.add(path);
    left.push(...importsOf(path));
  }
  return found;
}

/**
 * Lists the imports of a file at run time.
 *
 * @param {string} path
 */
function importsOf(path) {
  const statements = readFileSync(path, "utf8").matchAll(
    /^(?:import|export)\s+(?!type\b)(?:(\{[^}]*\}|[^"{]*)\s*from\s+)?"(\.[^"]+)";/gm,
  );
  return [...statements]
    .filter(([, names = ""]) => !areTypes(names))
    .map(([, , specifier = ""]) => join(dirname(path), specifier));
}

/** @param {string} names - `{ type A, b }` */
function areTypes(names) {
  const listed = names.startsWith("{")
    ? names
        .slice(1, -1)
        .split(",")
        .filter((name) => name.trim())
    : [];
  return listed.length > 0 && listed.every((name) => /^\s*type\s/.test(name));
}

/**
 * Throws if two files export the same name, because `export *` would omit it.
 *
 * @param {readonly string[]} paths
 */
function checkNames(paths) {
  /** @type {Map<string, string>} */
  const owners = new Map();
  for (const path of paths) {
    const declared = readFileSync(path, "utf8").matchAll(
      /^export (?:abstract |async )*(?:class|const|function|let) (\w+)/gm,
    );
    for (const [, name = ""] of declared) {
      const other = owners.get(name);
      // A function may have several declarations (overloads).
      if (other !== undefined && other !== path)
        throw new Error(`${path} and ${other} both export \`${name}\`. Rename one of them.`);
      owners.set(name, path);
    }
  }
}
