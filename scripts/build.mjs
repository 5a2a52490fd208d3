// @ts-check
// Writes `dist`: both module formats, their types, and the licenses of what is bundled into them.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { stampBuild } from "./build-stamp.mjs";
import { root, run } from "./run-command.mjs";

// Vite would keep that of whoever builds, such as `test`, and write a page for development.
process.env["NODE_ENV"] = "production";

rmSync(join(root, "dist"), { recursive: true, force: true });
// A compiler takes as long as all the rest, and needs nothing of it.
const [areTypesWritten, isCodeWritten] = await Promise.all([
  run("node", ["scripts/emit-types.mjs"]),
  writeCode(),
]);
if (!areTypesWritten || !isCodeWritten) process.exit(1);
stampBuild();

async function writeCode() {
  const isWritten = (await run("tsup", [])) && (await run("vite", ["build", "--logLevel", "warn"]));
  return isWritten && (await run("node", ["scripts/write-licenses.mjs"]));
}
