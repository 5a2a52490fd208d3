// Makes an invoice of every line of a file, and streams each to a bucket of S3 while it comes:
//   npm install template-pdf @aws-sdk/client-s3 @aws-sdk/lib-storage
//   node examples/bulk/s3-run.mjs examples/bulk/rows.ndjson my-bucket
// It asks the service at TEMPLATE_PDF_BASE_URL, with the key in TEMPLATE_PDF_API_KEY; region and credentials are those that the AWS SDK finds.
import { open } from "node:fs/promises";
import { S3Client } from "@aws-sdk/client-s3";
import { TemplatePdf } from "template-pdf";
import { runBulk } from "template-pdf/bulk";
import { s3Sink } from "./s3-sink.mjs";

const [data = "rows.ndjson", bucket = "invoices"] = process.argv.slice(2);

/** One job a line, read when there is room for it. */
async function* jobsOf(path) {
  const file = await open(path);
  for await (const text of file.readLines()) {
    if (text !== "") yield { template: "invoice", values: JSON.parse(text) };
  }
}

const { fulfilled, skipped, rejected, failures } = await runBulk({
  client: new TemplatePdf(),
  jobs: jobsOf(data),
  key: ({ values }) => values.number, // the object is <number>.pdf
  sink: s3Sink(new S3Client(), bucket),
  journal: `${bucket}.journal`, // started again, the run goes on where it was
});
console.log(`${fulfilled} generated, ${skipped} generated earlier, ${rejected} failed`);
for (const { count, message } of failures) console.error(`${count} × ${message}`);
process.exitCode = rejected > 0 ? 1 : 0;
