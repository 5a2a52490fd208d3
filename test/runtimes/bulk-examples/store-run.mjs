// Runs the sink of the example with a local store, in a separate program in the folder with the installed packages.
import { S3Client } from "@aws-sdk/client-s3";
import { TemplatePdf } from "template-pdf";
import { runBulk } from "template-pdf/bulk";

const [store, service, sinkFile, sinkName, journal, count] = process.argv.slice(2);
const { [sinkName]: sinkOf } = await import(sinkFile);
const client = new S3Client({
  endpoint: store,
  region: "eu-west-1",
  forcePathStyle: true,
  credentials: { accessKeyId: "id", secretAccessKey: "secret" },
});
const abort = new AbortController();
process.once("message", () => abort.abort(new Error("That is enough.")));
try {
  const { fulfilled, skipped, rejected, failures } = await runBulk({
    client: new TemplatePdf({ baseUrl: service, apiKey: "key" }),
    jobs: Array.from({ length: Number(count) }, (_, n) => ({ template: "invoice", values: { n } })),
    key: ({ values }) => `invoice-${values.n}`,
    sink: sinkOf(client, "invoices"),
    journal,
    signal: abort.signal,
  });
  process.send({ fulfilled, skipped, rejected, failures });
} catch (error) {
  process.send({ error: error.message });
}
process.disconnect();
