// Adds invoices to a run, and shows the progress until every invoice is generated or has failed.
// After a crash, start it again. It does not add an invoice twice.
import { bulkQueue } from "template-pdf/queue";

const { RUN = "2026-11", COUNT = "200", QUEUE_NAME = "template-pdf" } = process.env;
const { TEMPLATE_PDF_QUEUE_URL, TEMPLATE_PDF_QUEUE_KEY } = process.env;

const queue = bulkQueue({
  connection: TEMPLATE_PDF_QUEUE_URL ?? "redis://localhost:6379",
  name: QUEUE_NAME,
  sealKey: TEMPLATE_PDF_QUEUE_KEY || undefined,
});

/** Replace this function with a query of your database. Jobs are read as needed. */
function* invoices() {
  for (let count = 1; count <= Number(COUNT); count += 1) {
    const values = {
      number: `${RUN}-${String(count).padStart(4, "0")}`,
      customer: "Εκδόσεις Αθηνά",
      date: "20 November 2026",
      work: "Two hundred wedding cards, two colours",
      amount: `£${count}.00`,
    };
    yield { template: "invoice", values };
  }
}

try {
  const { added, known } = await queue.add(RUN, invoices(), { key: ({ values }) => values.number });
  console.log(`${added} added, ${known} known`);
  for await (const { fulfilled, rejected, total } of queue.progress(RUN)) {
    console.log(`${fulfilled} of ${total} generated, ${rejected} failed`);
  }
  for (const { key, message } of await queue.failures(RUN)) console.error(`${key}: ${message}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
await queue.close();
