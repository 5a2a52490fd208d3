// @ts-check
// Reads PDFs with pdf.js in a separate thread. Its polyfills replace JSON, Array.prototype.push and more, and the client must be
// tested on the unchanged platform.
import { parentPort } from "node:worker_threads";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";

/** @param {Uint8Array} bytes */
async function readPdf(bytes) {
  const loading = getDocument({ data: bytes, verbosity: 0 });
  try {
    const document = await loading.promise;
    const texts = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      texts.push(items.map((item) => ("str" in item ? item.str : "")).join(" "));
    }
    return { pages: document.numPages, text: texts.join("\n").replace(/[^\S\n]+/g, " ") };
  } finally {
    await loading.destroy();
  }
}

/** @typedef {{ port: import("node:worker_threads").MessagePort, bytes: Uint8Array }} Order */
parentPort?.on("message", async (/** @type {Order} */ { port, bytes }) => {
  try {
    port.postMessage({ result: await readPdf(bytes) });
  } catch (error) {
    port.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
