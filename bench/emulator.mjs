// What the emulator and the command cost on this machine.
// `npm run bench:emulator`; `npm run bench:emulator -- --help` tells the arguments.
// Start to the first PDF, pages a second, memory over 5,000 renders, and the start of the command beside that of bare Node.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { startEmulator } from "template-pdf/emulator";
import { argumentsOf, readCommandLine, wholeNumber } from "./shared/command-line.mjs";
import { medianOf } from "./shared/statistics.mjs";

const usage = `npm run bench:emulator -- [renders]

The start of the emulator and of the command, pages a second, and memory over so many renders, by default 5000.`;
const renders = readCommandLine(usage, (args) => {
  const [renders = "5000"] = argumentsOf(args, 1);
  return wholeNumber("renders", renders);
});

const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const values = await readFile(`${examples}values/certificate.json`);
const invoice = await readFile(`${examples}values/invoice.json`);

const startedAt = performance.now();
const emulator = await startEmulator({ templates: `${examples}templates`, fonts: `${examples}fonts` });
const readyAt = performance.now();
const first = await generate("invoice", invoice);
console.log(`start to listening  ${milliseconds(readyAt - startedAt)}`);
console.log(`start to first PDF  ${milliseconds(performance.now() - startedAt)}`);

const pages = await pagesOf(first);
for (const inFlight of [1, 4]) {
  const seconds = await timed(40, inFlight, "invoice", invoice);
  console.log(
    `${inFlight} in flight          ${((40 * pages) / seconds).toFixed(1)} pages/s (invoice of ${pages} pages)`,
  );
}

console.log(`memory over ${renders} certificates, 4 in flight (RSS of the process, with its threads):`);
for (let done = 0; done < renders; ) {
  const next = Math.min(renders - done, Math.ceil(renders / 10));
  await timed(next, 4, "certificate", values);
  done += next;
  console.log(`  ${String(done).padStart(6)}  ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
}
await emulator.close();

console.log("start of the command, medians of 21:");
for (const args of [
  ["-e", "0"],
  [command, "--version"],
  [command, "generate", "--help"],
]) {
  console.log(
    `  ${["node", ...args].join(" ").replace(command, "dist/cli/main.js").padEnd(40)} ${milliseconds(medianTime(args))}`,
  );
}

async function generate(uid, body) {
  const response = await fetch(`${emulator.baseUrl}/api/v1/templates/${uid}/generate-sync`, {
    method: "POST",
    headers: { authorization: `API-Key ${emulator.apiKey}`, "content-type": "application/json" },
    body,
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(new TextDecoder().decode(bytes));
  return bytes;
}

/** How many seconds so many documents take. */
async function timed(count, inFlight, uid, body) {
  const startAt = performance.now();
  let begun = 0;
  const work = async () => {
    while (begun++ < count) await generate(uid, body);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (performance.now() - startAt) / 1_000;
}

async function pagesOf(data) {
  const reading = getDocument({ data, verbosity: 0 });
  const { numPages } = await reading.promise;
  await reading.destroy();
  return numPages;
}

/** The median wall time of 21 runs of Node. */
function medianTime(args) {
  const times = Array.from({ length: 21 }, () => {
    const at = performance.now();
    spawnSync(process.execPath, args);
    return performance.now() - at;
  });
  return medianOf(times);
}

function milliseconds(time) {
  return `${Math.round(time)} ms`;
}
