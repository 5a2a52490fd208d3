// @ts-check
// Turns the pending changesets into CHANGELOG.md and the next version. Changesets updates only package.json, so this also updates the
// lockfile and the projects in examples/. The release workflow runs it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run-command.mjs";

if (!(await run("changeset", ["version"]))) process.exit(1);
if (!(await run("npm", ["install", "--package-lock-only", "--ignore-scripts", "--no-audit"])))
  process.exit(1);

const { name, version } = read(join(root, "package.json"));
for (const project of readdirSync(join(root, "examples"))) {
  const path = join(root, "examples", project, "package.json");
  if (!existsSync(path)) continue;
  const manifest = read(path);
  for (const kind of [manifest.dependencies, manifest.devDependencies]) {
    if (kind && name in kind) kind[name] = `^${version}`;
  }
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** @param {string} path */
function read(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
