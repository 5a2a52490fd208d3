// @ts-check
// `npm run release:dry`: everything a release has to pass, and nothing is published. Everything runs even when something
// has failed; each gate is a line, and the last line says how it went.
// `-- --quick` leaves out the tests, which take longest; `-- --dirty` allows changes that are not committed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  command,
  demo,
  entryPointsLoad,
  installation,
  manifestAsNpmWantsIt,
  newVersion,
  pack,
  publication,
} from "./release/gates-of-package.mjs";
import {
  audit,
  docs,
  lockfile,
  repository,
  verify,
  versions,
  workingTree,
} from "./release/gates-of-repository.mjs";
import { failed, lastLine, leftOut, lineOf } from "./release/verdict.mjs";

/** @typedef {import("./release/verdict.mjs").Verdict} Verdict */

const flags = process.argv.slice(2);
const unknown = flags.filter((flag) => flag !== "--quick" && flag !== "--dirty");
if (unknown.length > 0) {
  console.error(`release: ${unknown.join(" ")} is not known; there are --quick and --dirty.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "template-pdf-release-"));
const project = join(folder, "project");

/** @type {readonly (readonly [title: string, ask: () => Verdict | Promise<Verdict>])[]} */
const gates = [
  ["clean working tree", () => workingTree(flags.includes("--dirty"))],
  ["lockfile", lockfile],
  ["repository", repository],
  ["versions and changesets", versions],
  ["new version", newVersion],
  ["audit", audit],
  ["verify and runtimes", () => (flags.includes("--quick") ? leftOut("--quick") : verify())],
  ["site", docs],
  ["manifest as npm wants it", () => manifestAsNpmWantsIt(folder)],
  ["pack", () => pack(folder)],
  ["what npm would publish", () => publication(folder)],
  ["installation in an empty project", () => installation(project, folder)],
  ["every entry point, imported and required", () => entryPointsLoad(project)],
  ["command", () => command(project)],
  ["demo from the installed package", () => demo(project)],
];

/** @type {{ title: string, verdict: Verdict }[]} */
const asked = [];
try {
  for (const [title, ask] of gates) {
    const verdict = await Promise.resolve()
      .then(ask)
      .catch((error) => failed(String(error), "A gate before it may have failed; mend that one first."));
    asked.push({ title, verdict });
    if (verdict.printed !== undefined) console.error(verdict.printed);
    console.log(lineOf(title, verdict));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(lastLine(asked));
process.exitCode = asked.some(({ verdict }) => verdict.kind === "failed") ? 1 : 0;
