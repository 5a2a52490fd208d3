// @ts-check
// Takes the source maps of the tools away again (the command, the emulator, and what is bundled into them): they
// would be a third of what every user installs. The client keeps its own.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const dist = join(root, "dist");
const ofTools = /node_modules\/|\/src\/(?:cli|emulator|input|server)\//;

for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".js.map")) continue;
  const map = join(dist, file);
  /** @type {string[]} */
  const sources = JSON.parse(readFileSync(map, "utf8")).sources;
  if (!sources.some((source) => ofTools.test(source))) continue;
  rmSync(map);
  const code = map.slice(0, -".map".length);
  writeFileSync(code, readFileSync(code, "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"));
}
