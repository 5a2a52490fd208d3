// @ts-check
// Writes `dist`: both module formats, their types, and the licenses of what is bundled into them.
import { stampBuild } from "./build-stamp.mjs";
import { run } from "./run-command.mjs";

const built =
  run("tsup", []) && run("node", ["scripts/emit-types.mjs"]) && run("node", ["scripts/write-licenses.mjs"]);
if (!built) process.exit(1);
stampBuild();
