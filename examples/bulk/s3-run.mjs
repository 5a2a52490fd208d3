// Generates an invoice for each line of a file, and streams it to an S3 bucket:
//   npm install template-pdf @aws-sdk/client-s3 @aws-sdk/lib-storage
//   node examples/bulk/s3-run.mjs examples/bulk/rows.ndjson my-bucket
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY. The AWS SDK reads the region and the credentials.
import { open } from "node:fs/promises";
import { S3Client } from "@aws-sdk/client-s3";
import { TemplatePdf } from "template-pdf";
import { runBulk } from "template-pdf/bulk";
import { s3Sink } from "./s3-sink.mjs";

const [data = "rows.ndjson", bucket = "invoices"] = process.argv.slice(2);

/** Yields a job for each line. Lines are read as needed. */
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
  journal: `${bucket}.journal`, // the next start continues the run
});
console.log(`${fulfilled} generated, ${skipped} generated earlier, ${rejected} failed`);
for (const { count, message } of failures) console.error(`${count} × ${message}`);
process.exitCode = rejected > 0 ? 1 : 0;
