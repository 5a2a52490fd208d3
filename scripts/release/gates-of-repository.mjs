// @ts-check
// What has to hold of the repository before anything is packed.
import { run } from "../run-command.mjs";
import { changesetMistake, pendingChangesets, versionMistake } from "./changelog.mjs";
import { outputOf } from "./output-of.mjs";
import { readJson } from "./read-json.mjs";
import { placesMistake, repositoryName } from "./repository-name.mjs";
import { failed, leftOut, notAsked, passed } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Verdict} Verdict */

/**
 * @param {boolean} mayBeDirty
 * @returns {Verdict}
 */
export function workingTree(mayBeDirty) {
  const { succeeded, stdout } = outputOf("git", ["status", "--porcelain"]);
  if (!succeeded) return notAsked("this is no clone of the repository");
  const changed = stdout.split("\n").filter(Boolean).length;
  if (changed === 0) return passed();
  const files = changed === 1 ? "1 file is" : `${changed} files are`;
  if (mayBeDirty) return leftOut(`--dirty: ${files} not committed`);
  return failed(
    `${files} not committed`,
    "Commit or stash them (`git status`), or look only, with `--dirty`.",
  );
}

/** @returns {Promise<Verdict>} */
export async function lockfile() {
  if (await run("node", ["scripts/complete-lockfile.mjs", "--check"], { quiet: true })) return passed();
  return failed("package-lock.json is not complete", "Do what is said above, and commit it.");
}

/** @returns {Verdict} */
export function repository() {
  const manifest = readJson("package.json");
  const todo =
    "Set `repository`, `bugs` and `homepage` of package.json: npm publishes with provenance only from the repository that is named there.";
  const mistake = placesMistake(manifest);
  if (mistake !== undefined) return failed(mistake, todo);
  const named = repositoryName(manifest.repository.url);
  const { succeeded, stdout } = outputOf("git", ["remote", "get-url", "origin"]);
  if (!succeeded) return notAsked(`this clone has no remote \`origin\` to compare ${named} with`);
  if (repositoryName(stdout)?.toLowerCase() === named?.toLowerCase()) return passed(named);
  // An address may hold a key, and is not repeated.
  return failed(`package.json names ${named}, and the remote \`origin\` is another repository`, todo);
}

/** @returns {Verdict} */
export function versions() {
  const mistake = versionMistake();
  if (mistake !== undefined)
    return failed(mistake, "Let `npm run release:version` write all of them; none is edited by hand.");
  const pending = Object.entries(pendingChangesets());
  const mistakes = pending.flatMap(([name, text]) => {
    const what = changesetMistake(text);
    return what === undefined ? [] : [`.changeset/${name} ${what}`];
  });
  if (mistakes.length > 0)
    return failed(mistakes.join("; "), "Write it anew with `npx changeset`, or mend it by hand.");
  return passed(pending.length === 0 ? undefined : `${pending.length} changesets wait for the next version`);
}

/** @returns {Verdict} */
export function audit() {
  const { GITHUB_ACTIONS } = process.env;
  return auditVerdict(outputOf("npm", ["audit", "--json"]).stdout, GITHUB_ACTIONS === "true");
}

/**
 * @param {string} printed - by `npm audit --json`
 * @param {boolean} mustAnswer - whether no answer is a failure
 * @returns {Verdict}
 */
export function auditVerdict(printed, mustAnswer) {
  const answer = objectIn(printed);
  const found = answer?.vulnerabilities;
  if (typeof found !== "object" || found === null) {
    const why = `the registry did not answer the audit${answer?.message ? ` (${answer.message})` : ""}`;
    if (!mustAnswer) return notAsked(why);
    return failed(why, "Run it again; a package is not published unaudited.");
  }
  const names = Object.keys(found);
  if (names.length === 0) return passed();
  return failed(
    `npm audit knows of faults in ${names.join(", ")}`,
    "See `npm audit`, raise what it names with `npm update`, and commit the lockfile.",
  );
}

/** @param {string} text */
function objectIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns {Promise<Verdict>} */
export async function verify() {
  if (await run("npm", ["run", "verify", "runtimes"])) return passed();
  return failed("a check or a test failed", "See above; `npm run verify runtimes` runs these alone.");
}

/** @returns {Promise<Verdict>} */
export async function docs() {
  if (await run("npm", ["run", "docs"], { quiet: true })) return passed();
  return failed("the site cannot be built", "See above; `npm run docs` builds it alone.");
}
