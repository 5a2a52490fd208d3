// Makes an invoice of every line of a file, and is started by cron: after a crash, a reboot or Ctrl-C it goes on where it was.
//   node examples/bulk/nightly-run.mjs examples/bulk/rows.ndjson out
// It asks the service at TEMPLATE_PDF_BASE_URL, with the key in TEMPLATE_PDF_API_KEY.
// Exit codes: 0 all are made, 1 some failed, 2 it could not begin, 3 stopped before the end. After 1 and 3, the same line again goes on.
import { open } from "node:fs/promises";
import { TemplatePdf } from "template-pdf";
import { folder, RunStoppedError, runBulk } from "template-pdf/bulk";

const [data = "rows.ndjson", out = "out"] = process.argv.slice(2);

/** One job a line, read when there is room for it. */
async function* jobsOf(path) {
  const file = await open(path);
  let line = 0;
  for await (const text of file.readLines()) {
    line += 1;
    if (text !== "") yield { template: "invoice", values: valuesIn(text, line), line };
  }
}

/** What JSON.parse says of a text has a piece of it, and a log is no place for that. */
function valuesIn(text, line) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`line ${line} is no JSON: mend it, and start this again`);
  }
}

// The first Ctrl-C, or `kill`, lets come to its end what is in flight; the second stops at once. Both leave a run that goes on.
const [drain, abort] = [new AbortController(), new AbortController()];
const onSignal = () => (drain.signal.aborted ? abort : drain).abort();
process.on("SIGINT", onSignal).on("SIGTERM", onSignal);

/** Says how it went, and what failed and why. */
function report({ fulfilled, skipped, rejected, durationMs, failures }) {
  console.log(
    `${fulfilled} generated, ${skipped} generated earlier, ${rejected} failed, in ${(durationMs / 1000).toFixed(1)} s`,
  );
  for (const { count, message } of failures) console.log(`${count} × ${message}`);
}

let hasBegun = false;
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
      hasBegun = true;
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
  process.exitCode = hasBegun ? 3 : 2;
}
