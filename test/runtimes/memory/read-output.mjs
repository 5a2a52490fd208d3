// Reads one document in one output, and prints its length and the most memory that the process took, in bytes.
import { setTimeout as delay } from "node:timers/promises";

// Also by what keeps nothing: the code itself takes memory, too.
import { TemplatePdf } from "template-pdf";
import { Agent } from "undici";

const [, , output, transport, baseUrl] = process.argv;

console.log(JSON.stringify({ bytes: await read(), peakBytes: process.resourceUsage().maxRSS * 1024 }));

function read() {
  if (output === "nothing") return transport === "fetch" ? countByFetch() : countByUndici();
  return readOutput();
}

async function readOutput() {
  const pdfs = new TemplatePdf({
    baseUrl,
    apiKey: "sk_live_0123456789",
    retry: false,
    ...(transport === "fetch" && { fetch: globalThis.fetch }),
  });
  const pending = pdfs.generate("invoice", {});
  switch (output) {
    case "bytes()":
      return (await pending.bytes()).length;
    case "buffer()":
      return (await pending.buffer()).length;
    case "arrayBuffer()":
      return (await pending.arrayBuffer()).byteLength;
    case "blob()":
      return (await pending.blob()).size;
    case "saveTo()":
      return (await pending.saveTo("document.pdf")).bytes;
    case "response()":
      return (await (await pending.response()).arrayBuffer()).byteLength;
    case "stream()":
      return count(await pending.stream());
    case "nodeStream()":
      return count(await pending.nodeStream());
    case "iteration":
      return count(pending);
    case "a document that waits": {
      const document = await pending;
      await delay(500);
      return (await document.bytes()).length;
    }
    default:
      throw new Error(`There is no output ${output}.`);
  }
}

/** @param {AsyncIterable<Uint8Array>} chunks */
async function count(chunks) {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

// What reading takes that keeps nothing: the floor below every client.

async function countByFetch() {
  const { body } = await fetch(baseUrl, { method: "POST" });
  return count(/** @type {any} */ (body));
}

async function countByUndici() {
  let bytes = 0;
  const agent = new Agent();
  await new Promise((resolve, reject) => {
    agent.dispatch(
      { origin: baseUrl, path: "/", method: "POST" },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_, chunk) => (bytes += chunk.length),
        onResponseEnd: resolve,
        onResponseError: (_, error) => reject(error),
      },
    );
  });
  await agent.close();
  return bytes;
}
