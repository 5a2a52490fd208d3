// @ts-check
// Finds expressions that the project does not use, in pages, comments, messages and titles of tests.
// `node scripts/check-words.mjs src/bulk` checks one folder.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { root } from "./run-command.mjs";

/** What is not written, and what is written instead. @type {readonly (readonly [RegExp, string])[]} */
const retired = [
  [/\b(?:front|side|entry|the|a|two|own|each) doors?\b/, "entry point"],
  [
    /\b(?:house|wing|corridor|crew|setback|misfit|passage|glance|hopeless(?:ness)?)s?\b/,
    "the technical term",
  ],
  [/\bpapers?\b/, "documentation, page"],
  [/\b(?:clocks and|the clocks|clocks of|no clock)\b/, "timeouts"],
  [/\btwins?\b/, "implementation, variant"],
  [
    /\b(?:forms? of (?:a|the|its|this) (?:document|pdf|pending)|whole forms?|form methods?|asked? for a form)\b/,
    "output method",
  ],
  [
    /\b(?:the|a|its|response|before the|of the) heads?\b(?! of (?:the )?(?:list|line|queue|file|branch))/,
    "headers",
  ],
  [/\bmembers?\b/, "property"],
  [/\banew\b/, "again"],
  [/\bbeside\b/, "in addition to, next to"],
  [/\btelephones?\b/, "phone"],
  [/\bbelongs? into\b/, "belongs in"],
  [/\bon (?:its|their) way\b/, "pending, in flight"],
  [/\b(?:is|are|was|were|be|been) told\b(?! to)/, "receives, is notified, reports"],
  [/\b(?:hears?|heard|hear) of\b/, "reports, receives, is notified"],
  [/\b(?:is|are|was|were|be|been|being) asked\b|\bask(?:s|ed|ing)? for\b/, "requests, calls"],
  [/\bgives\b/, "returns"],
  [/\bmend(?:s|ed|ing)?\b/, "fix"],
  [
    /\b(?:tried|tries|try|asked|asks|ask|makes|made) (?:it |once )?(?:again|anew)\b(?! (?:later|in a))/,
    "retried, another attempt",
  ],
  [/\b(?:does|did|do) not leave\b/, "was not sent"],
  [/\b(?:half (?:a|of a|the) (?:document|file|pdf))\b/, "truncated response, incomplete file"],
  [/\bkey source\b/, "API key function"],
  [
    /\b(?:break|breaks|broke|broken) off\b|\b(?:is|are|was|were|be) cut off\b/,
    "is interrupted, is truncated",
  ],
  [/\binstalled along\b/, "shipped with the package"],
  [/\bsiblings?\b/, "derived client"],
  [/\bthe service'?s words?\b/, "the response message"],
  [/\b(?:gives?|given|gave|giving) (?:it |that |them )?up\b/, "times out, stops, cancels"],
  [/\bin hand\b/, "in flight"],
  [
    /(?<!there )(?:is|are|was|were) no (?:[a-z]+ )?(?:error|reason|one|way|client|key|part|document|place|pdf|proof|limit|function|longer a)s?\b/,
    "is not, does not",
  ],
  [/\b(?:nobody|none of)\b/, "does not, no"],
  [/\b[Ww]hoever\b/, "a caller, anyone who"],
];

/** Not written by hand, or quoting what the words are. */
const skipped =
  /^(?:package-lock\.json|scripts\/check-words\.mjs|docs\/reports\/(?:messages\.md|.*\.(?:json|svg))|src\/errors\/ordinary-words\.ts|CHANGELOG\.md)/;

const patterns = ["*.md", "*.ts", "*.tsx", "*.mts", "*.mjs", "*.js", "*.html", "*.yml", "*.yaml"];
const listed = execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n");
const chosen = process.argv.slice(2);
let found = 0;
for (const path of listed) {
  if (skipped.test(path) || (chosen.length > 0 && !chosen.some((part) => path.startsWith(part)))) continue;
  for (const [line, text] of prose(path)) {
    for (const [pattern, instead] of retired) {
      const [expression] = pattern.exec(text) ?? [];
      if (expression === undefined) continue;
      found++;
      console.log(`${path}:${line}: "${expression}" (write: ${instead})`);
    }
  }
}
console.log(`words: ${found} found`);
if (found > 0) process.exitCode = 1;

/**
 * @param {string} path
 * @returns {[number, string][]} the prose of each line: comments and texts with a space in code, all but code in pages
 */
function prose(path) {
  let isCode = !path.endsWith(".md");
  return readFileSync(`${root}/${path}`, "utf8")
    .split("\n")
    .map((line, index) => {
      if (path.endsWith(".md") && /^\s*```/.test(line)) {
        isCode = !isCode;
        return [index + 1, ""];
      }
      return [index + 1, isCode ? proseOfCode(line) : withoutCode(line)];
    });
}

/** @param {string} line */
function proseOfCode(line) {
  if (/^\s*(?:\/\/|\/?\*|#)/.test(line)) return withoutCode(line);
  const strings = line.match(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'/g) ?? [];
  const comment = /(?:^|\s)\/\/ .*/.exec(line)?.[0] ?? "";
  return withoutCode(
    [...strings.filter((text) => text.includes(" ")).map((text) => text.slice(1, -1)), comment].join(" | "),
  );
}

/** @param {string} text */
function withoutCode(text) {
  return text.replace(/`[^`]*`|\{@link [^}]*\}|\]\([^)]*\)|https?:\/\/\S+/g, "`…`");
}
