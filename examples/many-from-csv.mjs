// Makes an invoice of every row of a CSV file, and goes on where one fails:
//   node examples/many-from-csv.mjs examples/bulk/rows.csv invoices
// It asks the service at TEMPLATE_PDF_BASE_URL, with the key in TEMPLATE_PDF_API_KEY, and needs csv-parse: npm install csv-parse
// A run that may be killed, and is to go on the next time, is bulk/nightly-run.mjs; without a program: npx template-pdf bulk.
import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { parse } from "csv-parse";
import { TemplatePdf } from "template-pdf";
import { generateMany } from "template-pdf/bulk";

const [data = "examples/bulk/rows.csv", folder = "invoices"] = process.argv.slice(2);

/** A job a row, which is read when there is room for it: the file may be of any size. */
async function* jobsOf(path) {
  const rows = createReadStream(path).pipe(parse({ columns: true, delimiter: ";", bom: true, info: true }));
  for await (const { record, info } of rows) {
    // It becomes part of a path, so nothing else may stand there.
    if (/^[\w-]+$/.test(record.number)) yield { template: "invoice", values: record, line: info.lines };
    else fail(info.lines, "its number makes no file name");
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
