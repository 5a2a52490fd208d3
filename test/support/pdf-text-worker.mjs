// @ts-check
// Reads PDFs with pdf.js in a separate thread. Its polyfills replace JSON, Array.prototype.push and more, and the client must be
// tested on the unchanged platform.
import { parentPort } from "node:worker_threads";
import { getDocument, OPS } from "pdfjs-dist/legacy/build/pdf.mjs";

/**
 * Reads the glyphs of the first page by their position: from top to bottom, and from left to right.
 *
 * @param {Uint8Array} bytes
 */
async function readLines(bytes) {
  const loading = getDocument({ data: bytes, verbosity: 0 });
  try {
    const page = await (await loading.promise).getPage(1);
    const { fnArray, argsArray } = await page.getOperatorList();
    /** @type {Map<number, { text: string, start: number, end: number }[]>} */
    const lines = new Map();
    let [x, y, size] = [0, 0, 0];
    for (const [index, operation] of fnArray.entries()) {
      const args = argsArray[index];
      if (operation === OPS.setFont) size = args[1];
      if (operation === OPS.setTextMatrix) [x = 0, y = 0] = [...args.flat().slice(-1)[0]].slice(4);
      if (operation !== OPS.showText) continue;
      let [text, width] = ["", 0];
      // A number moves the next glyph to the left.
      for (const glyph of args[0]) {
        if (typeof glyph === "object") text += glyph.unicode ?? "";
        width += typeof glyph === "number" ? -glyph : (glyph.width ?? 0);
      }
      const key = [...lines.keys()].find((known) => Math.abs(known - y) < 4) ?? y;
      const piece = { text, start: x, end: x + (width * size) / 1000 };
      lines.set(key, [...(lines.get(key) ?? []), piece]);
    }
    return [...lines]
      .sort(([one], [other]) => other - one)
      .map(([, pieces]) => {
        pieces.sort((one, other) => one.start - other.start);
        const text = pieces.map((piece) => piece.text).join("");
        return { text, start: pieces[0]?.start, end: pieces.at(-1)?.end };
      });
  } finally {
    await loading.destroy();
  }
}

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

/**
 * Draws the upper part of the first page.
 *
 * @param {Uint8Array} bytes
 * @param {{ width: number, height: number }} size
 */
async function drawPdf(bytes, { width, height }) {
  const loading = getDocument({ data: bytes, verbosity: 0 });
  try {
    const document = await loading.promise;
    const page = await document.getPage(1);
    const { items } = await page.getTextContent();
    const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
    const factory = /** @type {any} */ (document.canvasFactory);
    const { canvas, context } = factory.create(width, height);
    await page.render({ canvas: null, canvasContext: context, viewport }).promise;
    const texts = items.flatMap((item) =>
      "str" in item ? [[item.str, ...item.transform.map(Math.round)]] : [],
    );
    return { png: Uint8Array.from(canvas.toBuffer("image/png")), texts: JSON.stringify(texts) };
  } finally {
    await loading.destroy();
  }
}

/** @typedef {{ port: import("node:worker_threads").MessagePort, bytes: Uint8Array, wantsLines?: boolean, size?: { width: number, height: number } }} Order */
parentPort?.on("message", async (/** @type {Order} */ { port, bytes, wantsLines, size }) => {
  try {
    port.postMessage({
      result: size ? await drawPdf(bytes, size) : await (wantsLines ? readLines(bytes) : readPdf(bytes)),
    });
  } catch (error) {
    port.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
