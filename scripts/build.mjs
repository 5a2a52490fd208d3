// @ts-check
// Writes `dist`: both module formats, their types, and the licences of bundled packages.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { stampBuild } from "./build-stamp.mjs";
import { root, run } from "./run-command.mjs";

// With an inherited value such as `test`, Vite would write a development build.
process.env["NODE_ENV"] = "production";

rmSync(join(root, "dist"), { recursive: true, force: true });
// The compiler takes as long as the rest of the build, and does not depend on it.
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
