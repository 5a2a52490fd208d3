// @ts-check
// `npm run release:version`: turns the pending changesets into CHANGELOG.md and the next version. Changesets knows
// package.json only; the lockfile and the projects in examples/ name the version, too.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "../run-command.mjs";
import { readJson } from "./read-json.mjs";

const { name } = readJson("package.json");
const isDone = await run("changeset", ["version"]);
if (!isDone) process.exit(1);
const { version } = readJson("package.json");

rewrite("package-lock.json", (lock) => {
  lock.version = version;
  lock.packages[""].version = version;
});
for (const project of readdirSync(join(root, "examples"), { withFileTypes: true })) {
  const path = `examples/${project.name}/package.json`;
  if (!project.isDirectory() || !readdirSync(join(root, "examples", project.name)).includes("package.json"))
    continue;
  rewrite(path, ({ dependencies = {}, devDependencies = {} }) => {
    for (const kind of [dependencies, devDependencies]) if (name in kind) kind[name] = `^${version}`;
  });
}

/**
 * @param {string} path
 * @param {(content: any) => void} change
 */
function rewrite(path, change) {
  const content = readJson(path);
  change(content);
  writeFileSync(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
}
