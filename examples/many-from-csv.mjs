// Generates an invoice for each row of a CSV file, and continues if one fails:
//   node examples/many-from-csv.mjs examples/bulk/rows.csv invoices
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY, and needs csv-parse: npm install csv-parse
// To continue after a crash, see bulk/nightly-run.mjs. To do this without writing code: npx template-pdf bulk.
import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { parse } from "csv-parse";
import { TemplatePdf } from "template-pdf";
import { generateMany } from "template-pdf/bulk";

const [data = "examples/bulk/rows.csv", folder = "invoices"] = process.argv.slice(2);

/** Yields a job for each row. Rows are read as needed, so the file can have any size. */
async function* jobsOf(path) {
  const rows = createReadStream(path).pipe(parse({ columns: true, delimiter: ";", bom: true, info: true }));
  for await (const { record, info } of rows) {
    // The number becomes part of a path, so other characters are not allowed.
    if (/^[\w-]+$/.test(record.number)) yield { template: "invoice", values: record, line: info.lines };
    else fail(info.lines, "the number is not a valid file name");
  }
}

function fail(line, message) {
  console.error(`line ${line}: ${message}`);
  process.exitCode = 1;
}

await mkdir(folder, { recursive: true });
const use = (pdf, { values }) => pdf.saveTo(`${folder}/${values.number}.pdf`);
for await (const { status, job, value, error } of generateMany(new TemplatePdf(), jobsOf(data), { use })) {
  if (status === "fulfilled") console.log(`${value.path}: ${value.bytes} bytes`);
  else fail(job.line, error.message);
}
