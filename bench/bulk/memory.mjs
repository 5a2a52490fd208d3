// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { killAtEnd } from "../shared/at-end.mjs";
import { makeTemporaryFolder } from "../shared/temporary-folder.mjs";
import { readingOf } from "./measure-in-turn.mjs";

/**
 * @typedef {import("./memory-process.mjs").Reading} Reading
 *
 * @typedef {object} Memory
 * @property {number} documents
 * @property {number} bytes - of a document
 * @property {number} inFlight
 * @property {Record<string, Reading>} runs
 */

const bytes = 2_000;
const inFlight = 20;

/**
 * What a long run holds on its way: against the service's endpoint and against raw sockets, without a journal and
 * with one, and when it goes on with a journal that has every job.
 *
 * @param {{ documents: number }} settings
 * @returns {Promise<Memory>}
 */
export async function measureMemory({ documents }) {
  const folder = makeTemporaryFolder("bulk");
  const endpoint = killAtEnd(fork(new URL("endpoint-server.mjs", import.meta.url), [folder.path]));
  const raw = killAtEnd(fork(new URL("../server.mjs", import.meta.url)));
  try {
    const [[baseUrl], [port]] = await Promise.all([once(endpoint, "message"), once(raw, "message")]);
    const plan = { bytes, inFlight, documents, journal: join(folder.path, "run.journal") };
    const rawUrl = `http://127.0.0.1:${port}`;
    /** @type {[string, import("./memory-process.mjs").Plan][]} */
    const plans = [
      ["generateMany, the service's endpoint", { ...plan, run: "generateMany", origin: baseUrl }],
      ["generateMany, raw sockets", { ...plan, run: "generateMany", origin: rawUrl }],
      ["runBulk, raw sockets", { ...plan, run: "runBulk", origin: rawUrl }],
      ["runBulk, all finished before", { ...plan, run: "runBulk", origin: rawUrl }],
    ];
    /** @type {Record<string, Reading>} */
    const runs = {};
    for (const [name, one] of plans) {
      const { cpuMicroseconds, perSecond, ...samples } = await readingOf("memory-process.mjs", one, name);
      const round = (/** @type {number} */ number) => Number(number.toPrecision(4));
      const run = { cpuMicroseconds: round(cpuMicroseconds), perSecond: round(perSecond), ...samples };
      runs[name] = run;
      console.log(`${name}: ${wordsOf(run)}`);
    }
    return { documents, bytes, inFlight, runs };
  } finally {
    endpoint.kill();
    raw.kill();
    folder.remove();
  }
}

/** @param {Reading} reading */
function wordsOf({ rssMegabytes, perSecond, cpuMicroseconds }) {
  const memory = `${rssMegabytes[9]} MB at 10 %, ${rssMegabytes.at(-1)} MB at 100 %`;
  return `${memory}, ${perSecond} documents per second, ${cpuMicroseconds} µs of CPU time each`;
}
