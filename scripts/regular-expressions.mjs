// @ts-check
// Checks that every regular expression in src/ takes linear time for every input. `npm run check` runs it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check } from "recheck";
import ts from "typescript";
import { root } from "./run-command.mjs";

/**
 * Expressions that cannot be analysed or need not be linear, with the reason. The key is the file and the code.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const exceptions = {
  "src/errors/caller-stack.ts: /[^( ]*[/\\\\].*[/\\\\]/": "Its input is one line of our own stack.",
};

/**
 * One regular expression in a file.
 *
 * @typedef {object} Found
 * @property {string} path - of the file
 * @property {number} line - starting at 1
 * @property {string} code - the source code of the expression
 * @property {string | undefined} source - `undefined` if it is built at run time
 * @property {string} flags
 */

/** The length of the text for timing expressions that are applied repeatedly. */
const timedLength = 100_000;

/** CPU time. Linear expressions take about a millisecond, quadratic ones more than five seconds. */
const longestMs = 1_500;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const found = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .flatMap((path) => expressionsIn(`src/${path}`, readFileSync(join(root, "src", path), "utf8")));
  const problems = await problemsOf(found, exceptions);
  for (const problem of problems) console.log(problem);
  console.log(`${found.length} regular expressions, ${problems.length} problems`);
  // The analysis runs in a child process that does not end by itself.
  process.exit(problems.length === 0 ? 0 : 1);
}

/**
 * Finds every regular expression in a file: literals, and calls of `RegExp`.
 *
 * @param {string} path
 * @param {string} text
 * @returns {Found[]}
 */
export function expressionsIn(path, text) {
  /** @type {Found[]} */
  const found = [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @param {ts.Node} node */
  const visit = (node) => {
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      found.push({ path, line, code: node.text, source, flags });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
      const code = node.getText().replace(/\s+/g, " ");
      found.push({ path, line, code, source: undefined, flags: "" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/**
 * Checks regular expressions by analysis, and by timing if they are applied repeatedly to one text.
 *
 * @param {readonly Found[]} found
 * @param {Readonly<Record<string, string>>} excepted
 * @returns {Promise<string[]>} one line for each problem
 */
export async function problemsOf(found, excepted) {
  const problems = [];
  for (const { path, line, code, source, flags } of found) {
    if (Object.hasOwn(excepted, `${path}: ${code}`)) continue;
    const problem = source === undefined ? "is built at run time" : await problemOf(source, flags);
    if (problem) problems.push(`${path}:${line}: ${code} ${problem}`);
  }
  for (const code of Object.keys(excepted)) {
    if (found.some((one) => `${one.path}: ${one.code}` === code)) continue;
    problems.push(`${code} is listed as an exception but does not occur`);
  }
  return problems;
}

/**
 * @param {string} source
 * @param {string} flags
 * @returns {Promise<string | undefined>}
 */
async function problemOf(source, flags) {
  const verdict = await check(source, flags, { timeout: 60_000 });
  if (verdict.status === "vulnerable" && isProved(verdict, source, flags)) {
    return `takes ${verdict.complexity.summary} time, for example for ${verdict.attack.pattern}`;
  }
  if (verdict.status === "unknown") return `cannot be analysed: ${verdict.error.kind}`;
  // Each search may be linear, while all of them together take quadratic time.
  return /[gy]/.test(flags) ? slowRun(source, flags) : undefined;
}

/**
 * The fuzzer reports slow runs as polynomial, which also happens on a busy machine. So this times the expression again.
 *
 * @param {import("recheck").VulnerableDiagnostics} verdict
 * @param {string} source
 * @param {string} flags
 */
function isProved({ checker, complexity, attack }, source, flags) {
  if (checker !== "fuzz" || complexity.type !== "polynomial") return true;
  return isSlow(() => new RegExp(source, flags).test(attack.string));
}

/** @param {() => unknown} search */
function isSlow(search) {
  const before = process.cpuUsage();
  search();
  return process.cpuUsage(before).user > longestMs * 1_000;
}

/**
 * Times the replacement of all matches in texts that repeat one or two characters.
 *
 * @param {string} source
 * @param {string} flags
 */
function slowRun(source, flags) {
  const expression = new RegExp(source, flags);
  for (const unit of unitsOf(source)) {
    for (const end of ["", "\0"]) {
      const text = unit.repeat(timedLength / unit.length) + end;
      if (isSlow(() => text.replace(expression, ""))) return `takes long for many of ${JSON.stringify(unit)}`;
    }
  }
  return undefined;
}

/**
 * Returns characters that a pattern may match: its literals, one of each class, and pairs of these.
 *
 * @param {string} source
 */
function unitsOf(source) {
  const own = source.replace(/\\(?:[pP]\{[^}]*\}|.)|[[\](){}|^$?*+]/gs, (code) =>
    /^\\[^dDwWsSbBpPkux\d]/.test(code) ? (code[1] ?? "") : "",
  );
  const characters = [...new Set([...own, "a", "0", " ", "\n"])].slice(0, 14);
  return [...characters, ...characters.flatMap((one) => characters.map((other) => one + other))];
}
