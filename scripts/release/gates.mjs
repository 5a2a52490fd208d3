// @ts-check
// The conditions for a release that tests do not check. Tests install the tarball, load every entry point, run the command and the demo,
// and check versions, changesets and the lockfile.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, root, run } from "../run-command.mjs";
import { askRegistry } from "./registry.mjs";
import { repositoryName } from "./repository-name.mjs";

/** A gate could not be checked. It has not passed, but does not fail the release. */
export class NotChecked extends Error {}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * Checks every gate, even after a failure. Prints a line for each gate, and the result in the last line.
 *
 * @param {{ isQuick: boolean }} options - skips the tests, which take longest
 * @returns {Promise<boolean>} whether no gate failed
 */
export async function checkRelease({ isQuick }) {
  /** @type {Record<string, () => void | Promise<void>>} */
  const gates = {
    "clean working tree": checkWorkingTree,
    repository: checkOrigin,
    "new version": checkVersion,
    audit: () => checkAudit(outputOf("npm", ["audit", "--json"]).stdout, "GITHUB_ACTIONS" in process.env),
    "verify and runtimes": () => checkTests(isQuick),
    "contents of the package": checkPublication,
  };
  const counts = { passed: 0, FAILED: 0, "not checked": 0 };
  for (const [title, check] of Object.entries(gates)) {
    const error = await Promise.resolve()
      .then(check)
      .catch((error) => error);
    const result = error === undefined ? "passed" : error instanceof NotChecked ? "not checked" : "FAILED";
    counts[result]++;
    console.log(`release: ${title}: ${result}${error === undefined ? "" : `: ${error.message}`}`);
  }
  console.log(`${counts.passed} gates passed, ${counts.FAILED} failed, ${counts["not checked"]} not checked`);
  return counts.FAILED === 0;
}

function checkWorkingTree() {
  const { succeeded, stdout } = outputOf("git", ["status", "--porcelain"]);
  if (!succeeded) throw new NotChecked("this folder is not a clone of the repository");
  const changed = stdout.split("\n").filter(Boolean).length;
  if (changed > 0)
    throw new Error(`${changed} file(s) are not committed. Commit or stash them (\`git status\`).`);
}

function checkOrigin() {
  const named = repositoryName(manifest.repository.url);
  const { succeeded, stdout } = outputOf("git", ["remote", "get-url", "origin"]);
  if (!succeeded) throw new NotChecked(`this clone has no remote \`origin\` to compare ${named} with`);
  if (repositoryName(stdout)?.toLowerCase() === named?.toLowerCase()) return;
  // An address may contain a key, so it is not repeated.
  throw new Error(
    `package.json names ${named}, but \`origin\` is another repository. Set \`repository\`, \`bugs\` and \`homepage\`: npm publishes with provenance only from the repository that package.json names.`,
  );
}

function checkVersion() {
  const { state, why } = askRegistry(manifest);
  if (state === "unknown") throw new NotChecked(why);
  if (state === "published")
    throw new Error(`${why}. Write a changeset (\`npx changeset\`) and raise the version.`);
}

/**
 * @param {string} printed - by `npm audit --json`
 * @param {boolean} mustAnswer - whether a missing response from the registry is a failure
 */
export function checkAudit(printed, mustAnswer) {
  const found = vulnerabilitiesIn(printed);
  if (found === undefined) {
    if (!mustAnswer) throw new NotChecked("the registry did not respond to the audit");
    throw new Error("The registry did not respond to the audit. Run it again: a release needs an audit.");
  }
  if (found.length === 0) return;
  throw new Error(
    `npm audit reports ${found.join(", ")}. See \`npm audit\`, update these packages, and commit the lockfile.`,
  );
}

/** @param {string} printed @returns {string[] | undefined} */
function vulnerabilitiesIn(printed) {
  try {
    return Object.keys(JSON.parse(printed).vulnerabilities);
  } catch {
    return undefined;
  }
}

/** @param {boolean} isQuick */
async function checkTests(isQuick) {
  if (isQuick) throw new NotChecked("--quick");
  if (!(await run("npm", ["run", "verify", "runtimes"])))
    throw new Error("A check or a test failed. See above.");
}

function checkPublication() {
  const { succeeded, stderr } = outputOf("npm", ["publish", "--dry-run", "--ignore-scripts"]);
  if (!succeeded) throw new Error(`npm would not publish the package. ${stderr.trim()}`);
  if (stderr.includes("auto-corrected")) {
    throw new Error("npm would change package.json. Run `npm pkg fix` and commit the changes.");
  }
}
