// @ts-check
// One long run in a process of its own, and what it holds on its way.
// node memory-process.mjs <plan in JSON>
import { TemplatePdf } from "template-pdf";
import { generateMany, runBulk } from "template-pdf/bulk";
import { jobOf } from "./job-of.mjs";

/**
 * @typedef {object} Plan
 * @property {"generateMany" | "runBulk"} run
 * @property {string} origin
 * @property {number} bytes - of a document
 * @property {number} inFlight
 * @property {number} documents
 * @property {string} journal - its path
 *
 * @typedef {object} Reading
 * @property {number} cpuMicroseconds - of user and system, per document, all threads
 * @property {number} perSecond - documents
 * @property {number[]} rssMegabytes - after every hundredth of the run
 * @property {number[]} heapMegabytes - with garbage that was not collected yet
 */

process.on("disconnect", () => process.exit());

/** @type {Plan} */
const plan = JSON.parse(process.argv[2] ?? "");
const { origin, apiKey, uid, values } = jobOf(plan.origin, plan.bytes);
const client = new TemplatePdf({ baseUrl: origin, apiKey });

/** @type {Reading} */
const reading = { cpuMicroseconds: 0, perSecond: 0, rssMegabytes: [], heapMegabytes: [] };
const sampleEvery = plan.documents / 100;
let done = 0;

function count() {
  if (++done % sampleEvery !== 0) return;
  const { rss, heapUsed } = process.memoryUsage();
  reading.rssMegabytes.push(Number((rss / 1e6).toFixed(1)));
  reading.heapMegabytes.push(Number((heapUsed / 1e6).toFixed(1)));
}

/** Every job has a number of its own, as an invoice has. */
function* jobs() {
  for (let number = 0; number < plan.documents; number++) {
    yield { template: uid, values: { ...values, number } };
  }
}

const runs = {
  async generateMany() {
    for await (const result of generateMany(client, jobs(), { concurrency: plan.inFlight })) {
      if (result.status === "rejected") throw result.error;
      count();
    }
  },

  async runBulk() {
    const { fulfilled, skipped } = await runBulk({
      client,
      jobs: jobs(),
      key: (job) => job.values.number,
      // It only reads: the journal is to be seen, not a disk full of documents.
      sink: { put: (_key, pdf) => pdf.bytes() },
      journal: plan.journal,
      concurrency: plan.inFlight,
      onResult: count,
    });
    if (fulfilled + skipped !== plan.documents) throw new Error(`${fulfilled} made, ${skipped} passed over.`);
  },
};

const startedAt = performance.now();
const before = process.cpuUsage();
await runs[plan.run]();
const { user, system } = process.cpuUsage(before);
if (done !== plan.documents) throw new Error(`${done} documents came instead of ${plan.documents}.`);
reading.cpuMicroseconds = (user + system) / done;
reading.perSecond = (done * 1_000) / (performance.now() - startedAt);
process.send?.(reading, () => process.exit());
