// @ts-check
// One contender in a process of its own: warms up, then tells what its documents cost.
// node contender-process.mjs <plan in JSON>

import { percentileOf } from "../shared/statistics.mjs";
import { values } from "../shared/values.mjs";
import { contenders } from "./contenders.mjs";

/**
 * @typedef {object} Plan
 * @property {string} contender
 * @property {string} origin
 * @property {number} bytes - of the document
 * @property {number} inFlight
 * @property {Span} warmUp
 * @property {Span} measured
 * @property {string} folder - where documents are saved
 *
 * @typedef {object} Span - both have to be reached; by the clock of the CPU, on which a busy machine counts less
 * @property {number} documents
 * @property {number} cpuMilliseconds
 *
 * @typedef {object} Reading
 * @property {number} cpuMicroseconds - of user and system, per document, all threads
 * @property {number} perSecond - documents
 * @property {number} peakMegabytes - the largest resident set of the process
 * @property {number} p50Ms
 * @property {number} p99Ms
 */

// Whoever wanted the figures is gone.
process.on("disconnect", () => process.exit());

/** @type {Plan} */
const plan = JSON.parse(process.argv[2] ?? "");
const contender =
  contenders[plan.contender] ?? (await import("../peers/contenders.mjs")).contenders[plan.contender];
if (!contender) throw new Error(`There is no contender ${plan.contender}.`);

const fetchOne = await contender({
  origin: plan.origin,
  uid: String(plan.bytes),
  apiKey: "0123456789abcdef0123456789abcdef",
  values,
  folder: plan.folder,
});

/** A look at the clock of the CPU costs a microsecond or two: taken after every so many documents only. */
const lookEvery = 16;

/**
 * @param {Span} span
 * @returns {Promise<number[]>} how long each document took, in milliseconds
 */
async function run({ documents, cpuMilliseconds }) {
  /** @type {number[]} */
  const latencies = [];
  const before = process.cpuUsage();
  let begun = 0;
  let enough = false;
  const lane = async (/** @type {number} */ slot) => {
    let at = performance.now();
    while (!enough) {
      if (++begun % lookEvery === 0 && begun >= documents) {
        enough = microsecondsSince(before) >= cpuMilliseconds * 1_000;
      }
      const length = await fetchOne(slot);
      if (length !== plan.bytes) throw new Error(`${length} bytes came instead of ${plan.bytes}.`);
      const now = performance.now();
      latencies.push(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: plan.inFlight }, (_, slot) => lane(slot)));
  return latencies;
}

/** @param {NodeJS.CpuUsage} before */
function microsecondsSince(before) {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

await run(plan.warmUp);
const startedAt = performance.now();
const before = process.cpuUsage();
const latencies = await run(plan.measured);
const cpuMicroseconds = microsecondsSince(before) / latencies.length;
const seconds = (performance.now() - startedAt) / 1_000;

latencies.sort((one, other) => one - other);
/** @type {Reading} */
const reading = {
  cpuMicroseconds,
  perSecond: latencies.length / seconds,
  peakMegabytes: (process.resourceUsage().maxRSS * 1_024) / 1e6,
  p50Ms: percentileOf(latencies, 0.5),
  p99Ms: percentileOf(latencies, 0.99),
};
process.send?.(reading, () => process.exit());
