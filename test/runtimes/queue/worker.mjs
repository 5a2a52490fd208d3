// Runs one queue worker in a separate process until SIGTERM. It prints a line for each result. Its argument is JSON.
import fs from "node:fs";
import { TemplatePdf } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { bulkQueue } from "template-pdf/queue";

const { url, name, baseUrl, out, work = {}, queue = {}, retry } = JSON.parse(process.argv[2]);
const say = (line) => fs.writeSync(1, `${JSON.stringify(line)}\n`);

const client = new TemplatePdf({ baseUrl, apiKey: "key-of-the-worker", retry });
const runs = bulkQueue({ connection: url, name, ...queue });
const worker = runs.work({
  client,
  sink: folder(`${out}/{{shelf}}/{{n}}.pdf`),
  onResult: ({ status, job, error }) => say({ status, n: job.values.n, error: error?.message }),
  ...work,
});
process.once("SIGTERM", () => worker.close().catch(() => {}));
say({ status: "started" });
try {
  await worker.done;
} catch (error) {
  say({ status: "stopped", name: error.name, message: error.message });
}
await runs.close();
await client.close();
