// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { killAtEnd } from "../shared/at-end.mjs";
import { figuresOf } from "./results.mjs";

/** No contender needs nearly as long: one that does hangs. */
const longestMs = 60_000;

/**
 * Measures one cell: round by round, in each one process after another for every contender.
 *
 * @param {import("./cells.mjs").Cell} cell
 * @param {import("./settings.mjs").Settings} settings
 * @param {import("./start-server.mjs").Server} server
 * @param {string} folder - where documents are saved
 * @returns {Promise<import("./results.mjs").CellResults>}
 */
export async function measureCell(cell, { contenders, roundsOf, spansOf }, server, folder) {
  /** @type {Map<string, import("./contender-process.mjs").Reading[]>} */
  const readings = new Map(contenders.map((name) => [name, []]));
  const rounds = Math.max(...contenders.map(roundsOf));
  for (let round = 0; round < rounds; round++) {
    const remaining = contenders.filter((name) => round < roundsOf(name));
    // Every other round the other way: nobody always comes after the same one.
    for (const contender of round % 2 === 0 ? remaining : remaining.reverse()) {
      /** @type {import("./contender-process.mjs").Plan} */
      const plan = {
        contender,
        origin: server[cell.protocol],
        bytes: cell.bytes,
        inFlight: cell.inFlight,
        ...spansOf(cell.bytes),
        folder,
      };
      readings.get(contender)?.push(await readingOf(plan, server.authorityFile));
    }
  }
  const figures = [...readings].map(([name, ofRounds]) => [name, figuresOf(ofRounds)]);
  return { ...cell, contenders: Object.fromEntries(figures) };
}

/**
 * @param {import("./contender-process.mjs").Plan} plan
 * @param {string} authorityFile
 * @returns {Promise<import("./contender-process.mjs").Reading>}
 */
async function readingOf(plan, authorityFile) {
  const program = new URL("./contender-process.mjs", import.meta.url);
  const options = { env: environmentOf(authorityFile), execArgv: [] };
  const child = killAtEnd(fork(program, [JSON.stringify(plan)], options));
  const timer = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const exited = once(child, "exit");
  try {
    const [reading] = await Promise.race([
      once(child, "message"),
      exited.then(() => Promise.reject(new Error(`${plan.contender} gave no figures.`))),
    ]);
    await exited;
    return reading;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Of this process, without what would send somebody by another way, or make Node another one.
 *
 * @param {string} authorityFile
 */
function environmentOf(authorityFile) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/_proxy$/i.test(name) && !name.startsWith("NODE_") && !name.startsWith("TEMPLATE_PDF_"),
  );
  return { ...Object.fromEntries(inherited), NODE_EXTRA_CA_CERTS: authorityFile };
}
