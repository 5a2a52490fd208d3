// @ts-check
// Writes the licences of the packages that are bundled into `dist`. The metafiles of the build
// list these packages, and are removed afterwards.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputFolder as dist } from "./output-folder.mjs";
import { root } from "./run-command.mjs";

/**
 * Copyright lines that are missing in the licence files of packages. All of them are MIT. Code that a package contains from
 * others has the same licence text and other names.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const holders = {
  // LICENSE.md and THIRD_PARTY_NOTICES.md of https://github.com/cfworker/cfworker.
  "@cfworker/json-schema": [
    "Copyright (c) 2020 Jeremy Danyow",
    "Portions derived from punycode.js: Copyright Mathias Bynens <https://mathiasbynens.be/>",
    "Portions derived from Ajv: Copyright (c) 2015-2021 Evgeny Poberezkin",
  ],
  // From THIRD-PARTY-NOTICES.md, for the contents of its `doc.mjs`.
  prettier: [
    "Copyright (c) James Long and contributors",
    "emoji-regex: Copyright Mathias Bynens <https://mathiasbynens.be/>",
    "get-east-asian-width: Copyright (c) Sindre Sorhus <sindresorhus@gmail.com> (https://sindresorhus.com)",
  ],
};

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
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const isWhole = file && !holders[manifest.name];
  const text = isWhole ? readFileSync(join(root, folder, file), "utf8") : textOfMit(manifest);
  return `# ${manifest.name} ${manifest.version}\n\n${text.trim()}\n`;
}

/**
 * Returns the MIT licence text, which is the same as our own.
 *
 * @param {{ name: string, license?: string }} manifest
 */
function textOfMit({ name, license }) {
  const lines = holders[name];
  if (license !== "MIT" || !lines)
    throw new Error(`${name} is bundled but does not name the owner of its licence`);
  const ours = readFileSync(join(root, "LICENSE"), "utf8");
  return ours.replace(/^Copyright .*$/m, lines.join("\n"));
}
