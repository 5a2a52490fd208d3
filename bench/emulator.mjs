import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { startEmulator } from "template-pdf/emulator";
import { medianOf } from "./shared/figures.mjs";

export const defaults = { renders: 5_000 };

export const usage = `Measures the emulator and the command: time to the first PDF, pages per second, memory over many documents, and the start of
the command compared with that of Node.

  --renders <n>   number of certificates for the memory measurement (default: 5000)`;

const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export async function run({ renders }) {
  const startedAt = performance.now();
  const emulator = await startEmulator({ templates: `${examples}templates`, fonts: `${examples}fonts` });
  console.log(`start to listening  ${millisecondsSince(startedAt)}`);
  const invoice = await generate(emulator, "invoice");
  console.log(`start to first PDF  ${millisecondsSince(startedAt)}`);
  const { numPages: pages } = await getDocument({ data: invoice, verbosity: 0 }).promise;
  for (const inFlight of [1, 4]) {
    const seconds = await generateMany(emulator, "invoice", 40, inFlight);
    console.log(
      `${inFlight} in flight         ${((40 * pages) / seconds).toFixed(1)} pages/s (${pages} pages each)`,
    );
  }

  console.log(`memory over ${renders} certificates, 4 in flight (RSS of the process, with its threads):`);
  const step = Math.ceil(renders / 10);
  for (let done = step; done <= renders; done += step) {
    await generateMany(emulator, "certificate", step, 4);
    console.log(`  ${String(done).padStart(6)}  ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  }
  await emulator.close();

  console.log("start of the command, medians of 21:");
  for (const args of [
    ["-e", "0"],
    [command, "--version"],
    [command, "generate", "--help"],
  ]) {
    const times = Array.from({ length: 21 }, () => {
      const at = performance.now();
      spawnSync(process.execPath, args);
      return performance.now() - at;
    });
    console.log(
      `  node ${args.join(" ").replace(command, "dist/cli/main.js").padEnd(35)} ${medianOf(times).toFixed(0)} ms`,
    );
  }
}

async function generate({ baseUrl, apiKey }, uid) {
  const response = await fetch(`${baseUrl}/api/v1/templates/${uid}/generate-sync`, {
    method: "POST",
    headers: { authorization: `API-Key ${apiKey}`, "content-type": "application/json" },
    body: readFileSync(`${examples}values/${uid}.json`),
  });
  if (!response.ok) throw new Error(await response.text());
  return new Uint8Array(await response.arrayBuffer());
}

/** Generates `count` documents, and returns the seconds that they took. */
async function generateMany(emulator, uid, count, inFlight) {
  const startAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun++ < count) await generate(emulator, uid);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (performance.now() - startAt) / 1_000;
}

function millisecondsSince(at) {
  return `${Math.round(performance.now() - at)} ms`;
}
