// @ts-check
// One contender in a process of its own: warms up, then tells what its documents cost.
// node speed-process.mjs <plan in JSON>
import { jobOf } from "./job-of.mjs";
import { pumps } from "./pumps.mjs";

/**
 * @typedef {object} Plan
 * @property {string} pump
 * @property {string} origin
 * @property {number} bytes - of a document
 * @property {number} inFlight
 * @property {number} documents - half of them before anything is measured
 *
 * @typedef {object} Reading
 * @property {number} cpuMicroseconds - of user and system, per document, all threads
 * @property {number} perSecond - documents
 */

// Whoever wanted the figures is gone.
process.on("disconnect", () => process.exit());

/** @type {Plan} */
const plan = JSON.parse(process.argv[2] ?? "");
const pump = await pumps[plan.pump]?.(jobOf(plan.origin, plan.bytes));
if (!pump) throw new Error(`There is no contender ${plan.pump}.`);

/**
 * @param {number} documents
 * @returns {Promise<Reading>}
 */
async function run(documents) {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let left = documents;
  let done = 0;
  await pump?.(
    plan.inFlight,
    () => left-- > 0,
    (length) => {
      if (length !== plan.bytes) throw new Error(`${length} bytes came instead of ${plan.bytes}.`);
      done++;
    },
  );
  if (done !== documents) throw new Error(`${done} documents came instead of ${documents}.`);
  const { user, system } = process.cpuUsage(before);
  return {
    cpuMicroseconds: (user + system) / documents,
    perSecond: (documents * 1_000) / (performance.now() - startedAt),
  };
}

await run(plan.documents / 2);
process.send?.(await run(plan.documents / 2), () => process.exit());
