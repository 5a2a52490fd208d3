// Prints each attempt of a call, and aborts it after a timeout or at Ctrl-C:
//   node examples/retry-and-cancel.mjs 20        the total timeout in seconds
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY. To see retries, start the emulator with
//   --fault "503 first 2"  or with  --latency 30000
import { TemplatePdf, TemplatePdfError } from "template-pdf";

const [seconds = "20"] = process.argv.slice(2);
const pdfs = new TemplatePdf({
  timeouts: { total: Number(seconds) * 1000 },
  retry: { limit: 3 },
  hooks: {
    request: ({ attempt }) => console.log(`attempt ${attempt}`),
    retry: ({ error, delayMs }) => console.log(`${error.code}: retry in ${(delayMs / 1000).toFixed(1)} s`),
  },
});

const cancelled = new AbortController();
process.once("SIGINT", () => cancelled.abort(new Error("cancelled")));

try {
  const values = { number: "2026-0117", total: "£640.00" };
  const { path, bytes } = await pdfs
    .generate("invoice", values, { signal: cancelled.signal })
    .saveTo("retried.pdf");
  console.log(`${path}: ${bytes} bytes`);
} catch (error) {
  // An aborted signal rejects with its own reason. All other failures are TemplatePdfErrors, for example a TimeoutError.
  if (!cancelled.signal.aborted && !TemplatePdfError.is(error)) throw error;
  console.error(error.message);
  process.exitCode = cancelled.signal.aborted ? 130 : 1;
}
