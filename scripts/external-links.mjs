// @ts-check
// Asks every address of another site that a paper of the repository names, once, and prints those that lead nowhere. It needs the
// network, and other people's servers: so it is no part of `npm run verify`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const atOnce = 8;
const patienceMs = 20_000;

/** The papers that name an address, by address. */
const named = /** @type {Map<string, Set<string>>} */ (new Map());
for (const paper of execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter(Boolean)) {
  const text = readFileSync(join(root, paper), "utf8").replace(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, "");
  for (const [address] of text.matchAll(/https?:\/\/[^\s<>()"'\]]+[^\s<>()"'\].,:;!?]/g)) {
    const { href, hostname } = new URL(address.replace(/#.*/, ""));
    if (/(?:^|\.)(?:example\.(?:com|org|net)|localhost|invalid)$|^127\./.test(hostname)) continue;
    named.set(href, (named.get(href) ?? new Set()).add(paper));
  }
}

const waiting = [...named.keys()].sort();
let dead = 0;
await Promise.all(Array.from({ length: atOnce }, work));
console.log(`${named.size} addresses, ${dead} dead`);
process.exitCode = dead > 0 ? 1 : 0;

async function work() {
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const wrong = await objectionTo(address);
    if (wrong === undefined) continue;
    dead++;
    console.log(`${address}: ${wrong} (${[...(named.get(address) ?? [])].join(", ")})`);
  }
}

/**
 * @param {string} address
 * @returns {Promise<string | undefined>} what is wrong with it
 */
async function objectionTo(address) {
  const wrong = await ask(address, "HEAD");
  // Many servers know no HEAD.
  return wrong === undefined ? undefined : ask(address, "GET");
}

/**
 * @param {string} address
 * @param {"HEAD" | "GET"} method
 */
async function ask(address, method) {
  try {
    const response = await fetch(address, { method, signal: AbortSignal.timeout(patienceMs) });
    await response.body?.cancel();
    // 401, 403 and 429 are there, but not for programs.
    return response.ok || [401, 403, 429].includes(response.status) ? undefined : `${response.status}`;
  } catch (error) {
    const { cause, message } = /** @type {Error & { cause?: Error }} */ (error);
    return cause?.message ?? message;
  }
}
