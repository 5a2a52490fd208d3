// Runs one queue worker in a separate process until SIGTERM, and prints its results. Its argument is JSON.
import { TemplatePdf } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { bulkQueue } from "template-pdf/queue";

const { url, name, baseUrl, out, work } = JSON.parse(process.argv[2]);
const client = new TemplatePdf({ baseUrl, apiKey: "key-of-the-worker" });
const runs = bulkQueue({ connection: url, name });
const worker = runs.work({
  client,
  sink: folder(`${out}/{{shelf}}/{{n}}.pdf`),
  onResult: ({ status, index }) => console.log(`${status} ${index}`),
  ...work,
});
process.once("SIGTERM", () => worker.close());
await worker.done;
await runs.close();
await client.close();
