// @ts-check
// Some small packages are bundled into `dist`; their licenses ask to travel along. The build's own list of
// its inputs says which they are, and is removed then.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const dist = join(root, "dist");
const bundled = new Set();

for (const list of readdirSync(dist).filter((file) => /^metafile-\w+\.json$/.test(file))) {
  for (const input of Object.keys(JSON.parse(readFileSync(join(dist, list), "utf8")).inputs)) {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    if (folder) bundled.add(folder);
  }
  rmSync(join(dist, list));
}

writeFileSync(join(dist, "THIRD-PARTY-LICENSES.md"), [...bundled].sort().map(describe).join("\n"));

/** @param {string} folder */
function describe(folder) {
  const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled and has no license file`);
  return `# ${name} ${version}\n\n${readFileSync(join(root, folder, file), "utf8").trim()}\n`;
}
