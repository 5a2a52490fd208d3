// @ts-check
// One way to save many documents, in a process of its own: warms up, then tells how fast it was.
// node folder-process.mjs <plan in JSON>
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TemplatePdf } from "template-pdf";
import { folder, generateMany, runBulk } from "template-pdf/bulk";
import { jobOf } from "./job-of.mjs";

/**
 * @typedef {object} Plan
 * @property {string} writer
 * @property {string} origin
 * @property {number} bytes - of a document
 * @property {number} inFlight
 * @property {number} documents - a quarter of them before anything is measured
 * @property {string} folder - an empty one
 *
 * @typedef {object} Reading
 * @property {number} cpuMicroseconds - of user and system, per document, all threads
 * @property {number} perSecond - documents
 */

process.on("disconnect", () => process.exit());

/** @type {Plan} */
const plan = JSON.parse(process.argv[2] ?? "");
const { origin, apiKey, uid, values } = jobOf(plan.origin, plan.bytes);
const client = new TemplatePdf({ baseUrl: origin, apiKey });
const { inFlight } = plan;

/** @typedef {{ template: string, values: { number: number } }} Numbered */

/** @type {Readonly<Record<string, (jobs: Iterable<Numbered>, name: string) => Promise<unknown>>>} */
const writers = {
  "pool, writeFile": (jobs) => pool(jobs, async (pdf, path) => writeFile(path, await pdf.bytes())),
  "pool, writeFile and sync": (jobs) =>
    pool(jobs, async (pdf, path) => writeFile(path, await pdf.bytes(), { flush: true })),
  "pool, saveTo()": (jobs) => pool(jobs, (pdf, path) => pdf.saveTo(path)),

  "generateMany, saveTo()": async (jobs) => {
    const use = (/** @type {import("template-pdf").PendingPdf} */ pdf, /** @type {Numbered} */ job) =>
      pdf.saveTo(pathOf(job));
    for await (const result of generateMany(client, jobs, { concurrency: inFlight, use })) {
      if (result.status === "rejected") throw result.error;
    }
  },

  "runBulk, folder()": async (jobs, name) => {
    const sink = folder("{{number}}.pdf", { root: plan.folder });
    const journal = join(plan.folder, `${name}.journal`);
    const { rejected, failures } = await runBulk({ client, jobs, sink, journal, concurrency: inFlight });
    if (rejected > 0) throw new Error(failures[0]?.message);
  },
};

/** @param {Numbered} job */
function pathOf({ values: { number } }) {
  return join(plan.folder, `${number}.pdf`);
}

/**
 * So many lanes, each of which takes the next job as soon as it has saved its document.
 *
 * @param {Iterable<Numbered>} jobs
 * @param {(pdf: import("template-pdf").PendingPdf, path: string) => Promise<unknown>} save
 */
async function pool(jobs, save) {
  const left = jobs[Symbol.iterator]();
  const lane = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const job = next.value;
      await save(client.generate(job.template, job.values), pathOf(job));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** @param {number} from @param {number} to */
function* numbered(from, to) {
  for (let number = from; number < to; number++) yield { template: uid, values: { ...values, number } };
}

const write = writers[plan.writer];
if (!write) throw new Error(`There is no writer "${plan.writer}".`);
const first = plan.documents / 4;
await write(numbered(0, first), "first");
const startedAt = performance.now();
const before = process.cpuUsage();
await write(numbered(first, plan.documents), "second");
const { user, system } = process.cpuUsage(before);
const measured = plan.documents - first;
/** @type {Reading} */
const reading = {
  cpuMicroseconds: (user + system) / measured,
  perSecond: (measured * 1_000) / (performance.now() - startedAt),
};
process.send?.(reading, () => process.exit());
