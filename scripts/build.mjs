// @ts-check
// Writes `dist`: both module formats, their types, and the licenses of what is bundled into them.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { stampBuild } from "./build-stamp.mjs";
import { root, run } from "./run-command.mjs";

rmSync(join(root, "dist"), { recursive: true, force: true });
const steps = ["minify-inner-code", "emit-types", "write-licenses"].map((name) => `scripts/${name}.mjs`);
let built = await run("tsup", []);
for (const step of steps) built &&= await run("node", [step]);
if (!built) process.exit(1);
stampBuild();
