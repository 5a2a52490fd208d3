// @ts-check
// The first seconds of one run in a process of its own: how many documents came in each of them.
// node start-process.mjs <plan in JSON>
import { TemplatePdf } from "template-pdf";
import { generateMany } from "template-pdf/bulk";
import { jobOf } from "./job-of.mjs";

/**
 * @typedef {object} Plan
 * @property {string} origin
 * @property {number} bytes - of a document
 * @property {number | "auto"} concurrency
 * @property {number} seconds
 *
 * @typedef {object} Reading
 * @property {number[]} perSecond - documents in each second
 */

process.on("disconnect", () => process.exit());

/** @type {Plan} */
const plan = JSON.parse(process.argv[2] ?? "");
const { origin, apiKey, uid, values } = jobOf(plan.origin, plan.bytes);
const client = new TemplatePdf({ baseUrl: origin, apiKey });

/** @type {number[]} */
const perSecond = new Array(plan.seconds).fill(0);
const startedAt = performance.now();
const second = () => Math.floor((performance.now() - startedAt) / 1_000);

function* jobs() {
  while (second() < plan.seconds) yield { template: uid, values };
}

for await (const result of generateMany(client, jobs(), { concurrency: plan.concurrency })) {
  if (result.status === "rejected") throw result.error;
  const at = second();
  if (at < plan.seconds) perSecond[at] = (perSecond[at] ?? 0) + 1;
}
/** @type {Reading} */
const reading = { perSecond };
process.send?.(reading, () => process.exit());
