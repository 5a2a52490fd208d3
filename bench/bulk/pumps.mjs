// @ts-check
// Everybody who fetches many documents, so many at once, each as its own users would write it.
import { contenders, ourBytes } from "../compare/contenders.mjs";

/** @typedef {import("../compare/contenders.mjs").Job} Job */

/**
 * Fetches documents as long as `wants` says so, and tells the length of each.
 *
 * @typedef {(inFlight: number, wants: () => boolean, onDocument: (length: number) => void) => Promise<void>} Pump
 */

/** The two bare loops that a run is compared with: with undici's quickest call, and with the one that most would take. */
export const bareDispatch = "undici dispatch";
export const bareRequest = "undici request";

/** @type {Readonly<Record<string, (job: Job) => Promise<Pump>>>} */
export const pumps = {
  [bareDispatch]: (job) => pool(bareDispatch, job),
  [bareRequest]: (job) => pool(bareRequest, job),
  "global fetch": (job) => pool("global fetch", job),
  [ourBytes]: (job) => pool(ourBytes, job),
  "template-pdf generateMany": many,
};

/**
 * A pool written by hand: so many lanes, each of which takes the next document as soon as it has one.
 *
 * @param {string} name - of the contender that fetches one
 * @param {Job} job
 * @returns {Promise<Pump>}
 */
async function pool(name, job) {
  const fetchOne = await contenders[name]?.(job);
  if (!fetchOne) throw new Error(`There is no contender "${name}".`);
  return async (inFlight, wants, onDocument) => {
    const lane = async (/** @type {number} */ slot) => {
      while (wants()) onDocument(await fetchOne(slot));
    };
    await Promise.all(Array.from({ length: inFlight }, (_, slot) => lane(slot)));
  };
}

/**
 * @param {Job} job
 * @returns {Promise<Pump>}
 */
async function many({ origin, apiKey, uid, values }) {
  const { TemplatePdf } = await import("template-pdf");
  const { generateMany } = await import("template-pdf/bulk");
  const client = new TemplatePdf({ baseUrl: origin, apiKey });
  return async (inFlight, wants, onDocument) => {
    const jobs = jobsOf({ template: uid, values }, wants);
    for await (const result of generateMany(client, jobs, { concurrency: inFlight })) {
      if (result.status === "rejected") throw result.error;
      onDocument(result.value.length);
    }
  };
}

/**
 * The same job anew, as long as one is wanted.
 *
 * @param {{ template: string, values: Record<string, unknown> }} job
 * @param {() => boolean} wants
 */
function* jobsOf(job, wants) {
  while (wants()) yield { ...job };
}
