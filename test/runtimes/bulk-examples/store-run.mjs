// Runs the sink of the example with a local store, in a separate program in the folder with the installed packages.
import { S3Client } from "@aws-sdk/client-s3";
import { TemplatePdf } from "template-pdf";
import { runBulk } from "template-pdf/bulk";

const [endpoint, baseUrl, sinkFile, sinkName] = process.argv.slice(2);
const { [sinkName]: sinkOf } = await import(sinkFile);
const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
const store = new S3Client({ endpoint, region: "eu-west-1", forcePathStyle: true, credentials });
const { fulfilled, rejected } = await runBulk({
  client: new TemplatePdf({ baseUrl, apiKey: "key" }),
  jobs: [{ template: "invoice", values: { n: 0 } }],
  key: ({ values }) => `invoice-${values.n}`,
  sink: sinkOf(store, "invoices"),
  journal: `${sinkName}.journal`,
});
console.log(JSON.stringify({ fulfilled, rejected }));
