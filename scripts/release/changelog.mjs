// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../run-command.mjs";
import { readJson } from "./read-json.mjs";

/**
 * What is wrong with the versions: package.json, the lockfile and the first heading of CHANGELOG.md name the same one.
 *
 * @returns {string | undefined}
 */
export function versionMistake() {
  const { version } = readJson("package.json");
  const lock = readJson("package-lock.json");
  const heading = newestOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"))?.version;
  const named = {
    "CHANGELOG.md": heading,
    "package-lock.json": lock.version,
    "its first package": lock.packages[""].version,
  };
  const others = Object.entries(named).filter(([, other]) => other !== version);
  if (others.length === 0) return undefined;
  return `package.json says ${version}, ${others.map(([place, other]) => `${place} ${other}`).join(", ")}`;
}

/**
 * The newest section of a changelog.
 *
 * @param {string} changelog
 * @returns {{ version: string, notes: string } | undefined}
 */
export function newestOf(changelog) {
  const [, newest = ""] = changelog.split(/^## /m);
  const [version = "", ...lines] = newest.split(/\r?\n/);
  return version ? { version, notes: lines.join("\n").trim() } : undefined;
}

/** The changesets that no release has collected yet, as texts by file name. */
export function pendingChangesets() {
  const folder = join(root, ".changeset");
  const names = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/**
 * What is wrong with a changeset.
 *
 * @param {string} text
 * @returns {string | undefined}
 */
export function changesetMistake(text) {
  const [, front, summary = ""] = /^---\r?\n(.*?)---\r?\n(.*)$/s.exec(text) ?? [];
  if (front === undefined) return "has no front matter between two lines of ---";
  const { name } = readJson("package.json");
  let releases;
  try {
    releases = parse(front) ?? {};
  } catch (error) {
    return `has a front matter that is no YAML: ${error instanceof Error ? error.message : error}`;
  }
  const strangers = Object.keys(releases).filter((released) => released !== name);
  if (strangers.length > 0) return `names ${strangers.join(", ")}, and there is only ${name}`;
  if (!["major", "minor", "patch"].includes(releases[name])) return "says neither major, minor nor patch";
  return summary.trim() === "" ? "says nothing of what changed" : undefined;
}
