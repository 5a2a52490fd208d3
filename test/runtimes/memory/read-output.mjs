// Reads one document by one output method, and prints its length and the peak memory of the process, in bytes.
import { setTimeout as delay } from "node:timers/promises";

// Loaded in every case, because the code itself takes memory, too.
import { TemplatePdf } from "template-pdf";
import { Agent } from "undici";

const [, , output, transport, baseUrl] = process.argv;

const options = { baseUrl, apiKey: "sk_live_0123456789", retry: false };
if (transport === "fetch") options.fetch = globalThis.fetch;
const generate = () => new TemplatePdf(options).generate("invoice", {});

/** @param {AsyncIterable<Uint8Array>} chunks */
async function count(chunks, turns = 0) {
  let bytes = 0;
  for await (const chunk of chunks) {
    // In these turns of the event loop, the service could send many more.
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    bytes += chunk.length;
  }
  return bytes;
}

const readers = {
  "bytes()": async () => (await generate().bytes()).length,
  "buffer()": async () => (await generate().buffer()).length,
  "arrayBuffer()": async () => (await generate().arrayBuffer()).byteLength,
  "blob()": async () => (await generate().blob()).size,
  "saveTo()": async () => (await generate().saveTo("document.pdf")).bytes,
  "response()": async () => (await (await generate().response()).arrayBuffer()).byteLength,
  "stream()": async () => count(await generate().stream()),
  "nodeStream()": async () => count(await generate().nodeStream()),
  iteration: () => count(generate()),
  "a slow reader of stream()": async () => count(await generate().stream(), 5),
  "a slow reader of nodeStream()": async () => count(await generate().nodeStream(), 5),
  "a slow iteration": () => count(generate(), 5),
  "a document that waits": async () => {
    const document = await generate();
    await delay(500);
    return (await document.bytes()).length;
  },
  "nothing by fetch": async () => count((await fetch(baseUrl, { method: "POST" })).body),
  "nothing by undici": () => {
    let bytes = 0;
    return new Promise((resolve, reject) => {
      new Agent().dispatch(
        { origin: baseUrl, path: "/", method: "POST" },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_, chunk) => (bytes += chunk.length),
          onResponseEnd: () => resolve(bytes),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  },
};

const bytes = await readers[output]();
console.log(JSON.stringify({ bytes, peakBytes: process.resourceUsage().maxRSS * 1024 }));
process.exit();
