// @ts-check
// What has to hold of the tarball, and of a project that has installed it and nothing else.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run-command.mjs";
import { outputOf } from "./output-of.mjs";
import { readJson } from "./read-json.mjs";
import { standingOf } from "./registry.mjs";
import { failed, notAsked, passed } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Verdict} Verdict */

const manifest = readJson("package.json");
const shipped =
  /^(?:dist\/(?:[\w-]+\/)*[\w-]+\.(?:c?js|d\.c?ts)|dist\/THIRD-PARTY-LICENSES\.md|docs\/guides\/[\w-]+\.md|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/;

/**
 * @param {string} folder - where the tarball goes
 * @returns {Verdict}
 */
export function pack(folder) {
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const { succeeded, stderr } = outputOf("npm", args);
  if (!succeeded) return failed("npm packs nothing", "See above, and `npm pack --dry-run`.", stderr);
  return passed(tarballIn(folder));
}

/**
 * @param {string} folder
 * @returns {Verdict}
 */
export function publication(folder) {
  const { name, version, publishConfig } = manifest;
  if (manifest.private || publishConfig?.access !== "public" || publishConfig?.provenance !== true)
    return failed(
      "package.json would not be published openly and with provenance",
      'Remove `private`; `publishConfig` is { "access": "public", "provenance": true }.',
    );
  const args = ["publish", "--dry-run", "--ignore-scripts", "--json", "--loglevel=error"];
  const { succeeded, stdout, stderr } = outputOf("npm", [...args, join(folder, tarballIn(folder))]);
  if (!succeeded) return failed("npm would not publish it", "Do what npm asks for above.", stderr);
  const files = new Set(filesIn(JSON.parse(stdout)));
  const strangers = [...files].filter((path) => !shipped.test(path));
  if (strangers.length > 0)
    return failed(
      `these would be published, too: ${strangers.join(", ")}`,
      "Keep them out with `files` of package.json, or name their kind in scripts/release/gates-of-package.mjs.",
    );
  const { exports, imports, bin, main, module, types } = manifest;
  const named = pathsIn([exports, imports, bin, main, module, types]).map((path) =>
    path.replace(/^\.\//, ""),
  );
  const missing = [...new Set([...named, "LICENSE", "dist/THIRD-PARTY-LICENSES.md"])].filter(
    (path) => !files.has(path),
  );
  if (missing.length > 0)
    return failed(
      `package.json names what would not be published: ${missing.join(", ")}`,
      "Build it: `npm run build`.",
    );
  return passed(`${name} ${version}, ${files.size} files`);
}

/** npm mends small mistakes of package.json while it publishes, and warns; a published package needs no mending. */
export function manifestAsNpmWantsIt(/** @type {string} */ folder) {
  const copy = join(folder, "manifest");
  mkdirSync(copy);
  const text = readFileSync(join(root, "package.json"), "utf8");
  writeFileSync(join(copy, "package.json"), text);
  // npm looks whether these are there before it takes them out.
  for (const path of pathsIn([manifest.bin])) {
    mkdirSync(join(copy, path, ".."), { recursive: true });
    writeFileSync(join(copy, path), "");
  }
  const { succeeded, stderr } = outputOf("npm", ["pkg", "fix", "--loglevel=error"], copy);
  if (!succeeded) return failed("npm cannot read package.json", "Do what npm asks for above.", stderr);
  const fixed = readFileSync(join(copy, "package.json"), "utf8");
  if (JSON.stringify(JSON.parse(fixed)) === JSON.stringify(manifest)) return passed();
  return failed(
    "npm would change package.json while it publishes",
    "Run `npm pkg fix`, and commit what it changes.",
  );
}

/** @returns {Verdict} */
export function newVersion() {
  const { standing, why } = standingOf(manifest);
  if (standing === "not told") return notAsked(why);
  if (standing !== "published") return passed(why);
  return failed(
    why,
    "Nothing is to be published; what is to come needs a changeset (`npx changeset`) and the next version.",
  );
}

/**
 * @param {string} project - an empty folder
 * @param {string} folder - where the tarball is
 * @returns {Verdict}
 */
export function installation(project, folder) {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), "{}");
  const installed = install(project, join(folder, tarballIn(folder)));
  if (installed !== undefined) return installed;
  const packages = readdirSync(join(project, "node_modules")).filter((entry) => !entry.startsWith("."));
  const wanted = [manifest.name, ...Object.keys(manifest.dependencies)].sort();
  if (packages.sort().join() === wanted.join()) return passed(`brings ${packages.join(" and ")}`);
  return failed(
    `it brings ${packages.join(", ")}`,
    `It should bring ${wanted.join(", ")}: see \`dependencies\`.`,
  );
}

/**
 * Every entry point in both formats, before anything optional is installed.
 *
 * @param {string} project
 * @returns {Verdict}
 */
export function entryPointsLoad(project) {
  const paths = Object.keys(manifest.exports).filter((name) => !name.endsWith(".json"));
  const program = `
    const names = ${JSON.stringify(paths.map((name) => manifest.name + name.slice(1)))};
    const required = (name) => Object.keys(require(name)).sort().join();
    (async () => {
      for (const name of names) {
        const imported = Object.keys(await import(name)).filter((exported) => !/^(default|module\\.exports)$/.test(exported));
        if (imported.length === 0) throw new Error(name + " exports nothing");
        if (imported.sort().join() !== required(name)) throw new Error(name + " exports other names as CommonJS");
      }
    })();`;
  writeFileSync(join(project, "entry-points.cjs"), program);
  // Otherwise Node takes the ES modules for `require`, too.
  const { succeeded, stderr } = outputOf(
    "node",
    ["--no-experimental-require-module", "entry-points.cjs"],
    project,
  );
  if (succeeded) return passed(`${paths.length} entry points in two formats`);
  return failed(
    "an entry point does not load",
    "See above, `exports` of package.json, and scripts/build.mjs.",
    stderr,
  );
}

/**
 * @param {string} project
 * @returns {Verdict}
 */
export function command(project) {
  const [name] = Object.keys(manifest.bin);
  const { stdout, stderr } = outputOf("npx", ["--no-install", String(name), "--version"], project);
  if (stdout.trim() === manifest.version) return passed();
  return failed(
    `\`npx ${name} --version\` does not say ${manifest.version}`,
    "See above, and `bin` of package.json.",
    stdout + stderr,
  );
}

/**
 * @param {string} project
 * @returns {Verdict}
 */
export function demo(project) {
  const { devDependencies } = manifest;
  const optional = ["pdfmake", "pdfjs-dist"].map((name) => `${name}@${devDependencies[name]}`);
  const installed = install(project, ...optional);
  if (installed !== undefined) return installed;
  for (const part of ["demo.mjs", "templates", "values", "fonts"])
    cpSync(join(root, "examples", part), join(project, "examples", part), { recursive: true });
  const { succeeded, stdout, stderr } = outputOf("node", ["examples/demo.mjs"], project);
  const made = stdout
    .trim()
    .split("\n")
    .filter((line) => line.includes(".pdf: "));
  if (succeeded && made.length > 0) return passed(`${made.length} documents`);
  return failed(
    "the demo does not run where the package is installed",
    "See above. It is examples/demo.mjs beside node_modules; `npm run demo` runs it in the repository.",
    stdout + stderr,
  );
}

/**
 * @param {string} project
 * @param {readonly string[]} packages
 * @returns {Verdict | undefined} what went wrong
 */
function install(project, ...packages) {
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...packages];
  const { succeeded, stderr } = outputOf("npm", args, project);
  return succeeded ? undefined : failed("npm cannot install it", "See what npm says of it above.", stderr);
}

/** @param {string} folder */
function tarballIn(folder) {
  return readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
}

/**
 * The paths of npm's list, wherever it stands: some versions of npm put it under the name of the package.
 *
 * @param {any} printed
 * @returns {string[]}
 */
function filesIn(printed) {
  const { files } = printed;
  if (Array.isArray(files)) return files.map(({ path }) => path);
  return Object.values(printed).flatMap((inner) =>
    typeof inner === "object" && inner ? filesIn(inner) : [],
  );
}

/**
 * @param {unknown} target
 * @returns {string[]}
 */
function pathsIn(target) {
  if (typeof target === "string") return [target];
  return typeof target === "object" && target ? Object.values(target).flatMap(pathsIn) : [];
}
