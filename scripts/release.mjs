// @ts-check
// `npm run release -- <command>`:
//   dry        checks everything that a release needs, without publishing. `--quick` skips the tests.
//   version    turns the pending changesets into CHANGELOG.md and the next version
//   publishes  prints `publishes=true` if npm knows the package, but not this version of it. The release workflow uses it.
//   notes      writes the newest section of CHANGELOG.md and its tag name to a folder, for the GitHub release
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkRelease } from "./release/gates.mjs";
import { askRegistry } from "./release/registry.mjs";
import { newestOf, raiseVersion } from "./release/versions.mjs";
import { root } from "./run-command.mjs";

/** @type {Record<string, (args: string[]) => void | Promise<void>>} */
const commands = {
  async dry(flags) {
    const succeeded = await checkRelease({ isQuick: flags.includes("--quick") });
    if (!succeeded) process.exitCode = 1;
  },

  version: raiseVersion,

  publishes() {
    const { state, why } = askRegistry(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    const advice =
      "npm accepts a trusted workflow only for an existing package: see `The first one` in CONTRIBUTING.md";
    console.error(state === "no package" ? `${why}; ${advice}.` : `${why}.`);
    if (state === "unknown") process.exit(1);
    console.log(`publishes=${state === "new version"}`);
  },

  notes([folder = root]) {
    const { version, notes } = newestOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
    writeFileSync(join(folder, "notes.md"), `${notes}\n`);
    writeFileSync(join(folder, "tag"), `v${version}`);
  },
};

const [name = "", ...args] = process.argv.slice(2);
if (!(name in commands)) {
  console.error(`Expected a command (${Object.keys(commands).join(", ")}), got "${name}".`);
  process.exit(2);
}
await commands[name]?.(args);
