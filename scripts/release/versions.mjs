// @ts-check
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "../run-command.mjs";

/**
 * Finds the newest section of a changelog.
 *
 * @param {string} changelog
 */
export function newestOf(changelog) {
  const [, newest = ""] = changelog.split(/^## /m);
  const [version = "", ...lines] = newest.split(/\r?\n/);
  if (version === "") throw new Error("CHANGELOG.md has no section.");
  return { version, notes: lines.join("\n").trim() };
}

/**
 * Turns the pending changesets into CHANGELOG.md and the next version. Changesets updates only package.json, so this also updates the
 * lockfile and the projects in examples/.
 */
export async function raiseVersion() {
  if (!(await run("changeset", ["version"]))) process.exit(1);
  const { name, version } = read("package.json");
  rewrite("package-lock.json", (lock) => {
    lock.version = version;
    lock.packages[""].version = version;
  });
  for (const project of readdirSync(join(root, "examples"))) {
    const path = `examples/${project}/package.json`;
    if (!existsSync(join(root, path))) continue;
    rewrite(path, ({ dependencies = {}, devDependencies = {} }) => {
      for (const kind of [dependencies, devDependencies]) if (name in kind) kind[name] = `^${version}`;
    });
  }
}

/** @param {string} path */
function read(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/** @param {string} path @param {(content: any) => void} change */
function rewrite(path, change) {
  const content = read(path);
  change(content);
  writeFileSync(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
}
