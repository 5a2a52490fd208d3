// @ts-check
// Makes small the code that no door leads to (the command, and the emulator's threads), and files that hold nothing of ours. Lines stay as
// short as a terminal can show, because Node prints the line that threw. See docs/decisions/0024.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { transform } from "esbuild";
import ts from "typescript";
import { doors } from "./entries.mjs";
import { root } from "./run-command.mjs";

const dist = join(root, "dist");
const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** @type {Set<string>} */
const behindDoors = new Set();
for (const door of Object.keys(doors)) follow(`${door}.js`);

for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  const path = file.replaceAll("\\", "/");
  if (!path.endsWith(".js")) continue;
  const code = readFileSync(join(dist, path), "utf8");
  const isInner = !behindDoors.has(path);
  if (!isInner && (/^\/\/ src\//m.test(code) || !code.includes("// node_modules/"))) continue;
  const options = { minify: isInner, minifyWhitespace: true, lineLimit: 120, target: "es2022" };
  const minified = await transform(code, options);
  writeFileSync(join(dist, path), withOrigins(minified.code, code));
}

/** @param {string} path */
function follow(path) {
  if (behindDoors.has(path)) return;
  behindDoors.add(path);
  for (const { fileName } of ts.preProcessFile(readFileSync(join(dist, path), "utf8")).importedFiles) {
    if (fileName.startsWith(".")) follow(posix.join(posix.dirname(path), fileName));
    if (fileName.startsWith("#")) for (const file of filesOf(imports[fileName])) follow(file);
  }
}

/**
 * @param {import("./entries.mjs").Target} target
 * @returns {string[]} the ES modules that a name leads to
 */
function filesOf(target) {
  if (target === null) return [];
  if (typeof target !== "string") return Object.values(target).flatMap(filesOf);
  return target.endsWith(".js") ? [target.replace(/^\.\/dist\//, "")] : [];
}

/**
 * Keeps the comments by which esbuild names the packages that it bundled, one each.
 *
 * @param {string} minified
 * @param {string} code
 */
function withOrigins(minified, code) {
  const origins = new Set(
    code.match(/^ *\/\/ node_modules\/(?:@[^/]+\/)?[^/]+/gm)?.map((line) => line.trim()),
  );
  const [shebang = ""] = /^#!.*\n/.exec(minified) ?? [];
  const comments = [...origins].map((origin) => `${origin}\n`).join("");
  return shebang + comments + minified.slice(shebang.length);
}
