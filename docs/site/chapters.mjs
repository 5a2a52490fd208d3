// @ts-check
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** The guides, in the order in which the site shows them: chapter by chapter, by the names of their files. */
export const guides = {
  Start: ["quick-start", "streaming", "typed-templates"],
  "When things go wrong": ["errors", "timeouts"],
  "Pages and servers": ["browser", "handler", "recipes"],
  Testing: ["testing", "emulator"],
  "Many and automated": ["bulk", "queues", "command-line"],
  "Running it": ["proxies-and-tls", "observability", "security", "performance"],
  "Coming from fetch": ["migrating"],
};

/** The heading above the doors of the package. */
export const reference = "Reference";

/**
 * Every paper of the site but its first page, by its path in the repository, under the heading of its chapter. What stands above
 * but is not there yet is left out.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const chapters = {
  ...Object.fromEntries(
    Object.entries(guides).map(([chapter, names]) => [
      chapter,
      present(names.map((name) => `docs/guides/${name}.md`)),
    ]),
  ),
  Project: present(["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]),
  Reports: papersIn("docs/reports"),
  Decisions: papersIn("docs/decisions"),
};

/** @param {readonly string[]} paths */
function present(paths) {
  return paths.filter((path) => existsSync(new URL(path, root)));
}

/** @param {string} folder */
function papersIn(folder) {
  return readdirSync(fileURLToPath(new URL(folder, root)))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}
