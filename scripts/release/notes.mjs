// @ts-check
// `node scripts/release/notes.mjs <folder>`: writes the newest section of CHANGELOG.md and the name of its tag, for
// the release on GitHub.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run-command.mjs";
import { newestOf, versionMistake } from "./changelog.mjs";

const [folder = root] = process.argv.slice(2);
const newest = newestOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
const mistake = versionMistake();
if (newest === undefined || mistake !== undefined) {
  console.error(mistake ?? "CHANGELOG.md has no section.");
  process.exit(1);
}
writeFileSync(join(folder, "notes.md"), `${newest.notes}\n`);
writeFileSync(join(folder, "tag"), `v${newest.version}`);
