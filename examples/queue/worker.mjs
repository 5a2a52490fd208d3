// Generates the documents of a queue until SIGTERM or Ctrl-C. You can start any number of workers.
import { TemplatePdf } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { bulkQueue } from "template-pdf/queue";

const { OUT = "out", QUEUE_NAME = "template-pdf", CONCURRENCY = "16", PER_SECOND } = process.env;
const { TEMPLATE_PDF_QUEUE_URL, TEMPLATE_PDF_QUEUE_KEY, ALLOW_INSECURE_HTTP } = process.env;

// Reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY.
const pdfs = new TemplatePdf({ allowInsecureHttp: ALLOW_INSECURE_HTTP === "true" });
const queue = bulkQueue({
  connection: TEMPLATE_PDF_QUEUE_URL ?? "redis://localhost:6379",
  name: QUEUE_NAME,
  sealKey: TEMPLATE_PDF_QUEUE_KEY || undefined,
});

let generated = 0;
let reported;
const worker = queue.work({
  client: pdfs,
  sink: folder(`${OUT}/{{number}}.pdf`),
  concurrency: Number(CONCURRENCY),
  perSecond: PER_SECOND ? Number(PER_SECOND) : undefined,
  onResult({ status, run, key, error }) {
    if (status === "fulfilled") generated += 1;
    if (status === "rejected") console.error(`${run}, ${key}: ${error.message}`);
  },
  onError(error) {
    reported = error;
    console.error(error.message);
  },
});
console.log("waiting for jobs");

// Finishes the documents in flight. If `close` rejects, `done` rejects with the same error (see below).
const stop = () => worker.close().catch(() => {});
process.once("SIGTERM", stop).once("SIGINT", stop);

try {
  await worker.done;
} catch (error) {
  // `onError` has received most errors that stop a worker.
  if (error !== reported) console.error(error.message);
  process.exitCode = 1;
}
console.log(`${generated} documents generated`);
await queue.close();
await pdfs.close();
