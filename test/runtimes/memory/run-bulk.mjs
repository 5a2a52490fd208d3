// Runs many jobs and measures the memory after a tenth of them and at the end. Prints one line of JSON. Requires `--expose-gc`.
import { rmSync } from "node:fs";
import { TemplatePdf } from "template-pdf";
import { generateMany, runBulk } from "template-pdf/bulk";

const { kind, count, journal } = JSON.parse(process.argv[2]);
const warnings = [];
process.on("warning", ({ name }) => warnings.push(name));

const bytes = new TextEncoder().encode(`%PDF-1.7\n${"x".repeat(1000)}\n%%EOF\n`);
const fetch = async () => new Response(bytes, { headers: { "content-length": `${bytes.length}` } });
const client = new TemplatePdf({ baseUrl: "http://127.0.0.1:1", apiKey: "key-of-the-tests", fetch });

function* jobs() {
  for (let n = 0; n < count; n++) yield { template: "t", values: { n, text: `row ${n}`.repeat(20) } };
}

const measured = [];
let done = 0;

async function onDone() {
  done++;
  if (done !== count / 10 && done !== count) return;
  // Some objects are collected only after others were.
  for (let round = 0; round < 6; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  measured.push({ ownBytes: heapUsed + external, rss });
}

// Signals that outlive their run, as in a program.
const [signal, drain] = [new AbortController().signal, new AbortController().signal];
const options = { concurrency: 16, signal, drain };
if (kind === "generateMany") {
  for await (const { status } of generateMany(client, jobs(), options))
    if (status === "fulfilled") await onDone();
} else {
  const sink = { put: (_key, pdf) => pdf.bytes() };
  let lastMeasure;
  const onResult = ({ status }) => {
    if (status === "fulfilled") lastMeasure = onDone();
  };
  await runBulk({ client, jobs: jobs(), sink, key: ({ values }) => values.n, journal, onResult, ...options });
  await lastMeasure;
  rmSync(journal);
}
console.log(JSON.stringify({ done, measured, warnings }));
// Closes nothing, so that anything a run leaves active would keep this process alive.
