// Generates an invoice for each line of a file. Start it every night, for example with cron.
// After a crash, a reboot or Ctrl-C, start it again to continue:
//   node examples/bulk/nightly-run.mjs examples/bulk/rows.ndjson out
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY.
// Exit codes: 0 all invoices are generated, 1 some failed, 2 the run could not start, 3 the run stopped early.
// After 1 or 3, run the same command to continue.
import { open } from "node:fs/promises";
import { TemplatePdf } from "template-pdf";
import { folder, RunStoppedError, runBulk } from "template-pdf/bulk";

const [data = "rows.ndjson", out = "out"] = process.argv.slice(2);

/** Yields a job for each line. Lines are read as needed. */
async function* jobsOf(path) {
  const file = await open(path);
  let line = 0;
  for await (const text of file.readLines()) {
    line += 1;
    if (text !== "") yield { template: "invoice", values: valuesIn(text, line), line };
  }
}

/** Parses a line. The message of JSON.parse quotes the text, which must not appear in a log. */
function valuesIn(text, line) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`line ${line} is not JSON: fix it, and start this program again`);
  }
}

// After the first Ctrl-C or `kill`, the run finishes the documents in flight. After the second, it stops
// immediately. In both cases, you can continue the run later.
const [drain, abort] = [new AbortController(), new AbortController()];
const onSignal = () => (drain.signal.aborted ? abort : drain).abort();
process.on("SIGINT", onSignal).on("SIGTERM", onSignal);

/** Prints the results and the reasons of failures. */
function report({ fulfilled, skipped, rejected, durationMs, failures }) {
  console.log(
    `${fulfilled} generated, ${skipped} generated earlier, ${rejected} failed, in ${(durationMs / 1000).toFixed(1)} s`,
  );
  for (const { count, message } of failures) console.log(`${count} × ${message}`);
}

let hasStarted = false;
try {
  const summary = await runBulk({
    client: new TemplatePdf(), // TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY
    jobs: jobsOf(data),
    sink: folder("{{number}}.pdf", { root: out }),
    journal: `${out}/run.journal`,
    stopAfter: 100,
    drain: drain.signal,
    signal: abort.signal,
    onBegin() {
      hasStarted = true;
    },
    onResult({ status, job, error }) {
      if (status === "rejected") console.error(`line ${job.line}: ${error.message}`);
    },
  });
  report(summary);
  process.exitCode = summary.rejected > 0 ? 1 : 0;
} catch (error) {
  console.error(error.message);
  if (RunStoppedError.is(error)) report(error.summary);
  process.exitCode = hasStarted ? 3 : 2;
}
