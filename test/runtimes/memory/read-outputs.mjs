// Reads one document with each output method, and prints in bytes how much each read, held and added to the peak of the process.
// Requires `--expose-gc`.
import { setTimeout as delay } from "node:timers/promises";
import { TemplatePdf } from "template-pdf";

const { outputs, transport, baseUrl, bytes } = JSON.parse(process.argv[2]);

const options = { baseUrl, apiKey: "sk_live_0123456789", retry: false };
if (transport === "fetch") options.fetch = globalThis.fetch;

let held = 0;
let measured = 0;

/** Counts the memory after garbage collection. */
function measure() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  held = Math.max(held, heapUsed + external);
}

/** Measures eight times while the document arrives. */
function onProgress({ receivedBytes }) {
  if (receivedBytes < measured + bytes / 8) return;
  measured = receivedBytes;
  measure();
}

const generate = () => new TemplatePdf(options).generate("invoice", {}, { onProgress });

/** @param {AsyncIterable<Uint8Array>} chunks */
async function count(chunks) {
  let length = 0;
  for await (const chunk of chunks) {
    // The service could send many more chunks in these turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    length += chunk.length;
  }
  return { length };
}

const readers = {
  "bytes()": () => generate().bytes(),
  "buffer()": () => generate().buffer(),
  "blob()": () => generate().blob(),
  "saveTo()": () => generate().saveTo("document.pdf"),
  "response()": async () => (await generate().response()).arrayBuffer(),
  "a slow reader of stream()": async () => count(await generate().stream()),
  "a slow reader of nodeStream()": async () => count(await generate().nodeStream()),
  "a slow iteration": () => count(generate()),
  "a document that waits": async () => {
    const document = await generate();
    await delay(500);
    measure();
    return document.bytes();
  },
};

/** Returns the number of bytes read. They are garbage afterwards. */
async function read(output) {
  const result = await readers[output]();
  measure();
  return result.length ?? result.byteLength ?? result.size ?? result.bytes;
}

const results = {};
measure();
const peak = () => process.resourceUsage().maxRSS * 1024;
const start = { held, peak: peak() };
for (const output of outputs) {
  [held, measured] = [0, 0];
  const length = await read(output);
  results[output] = { bytes: length, held: held - start.held, peak: peak() - start.peak };
}
console.log(JSON.stringify(results));
process.exit();
