// @ts-check
// Sends real PDFs through the public client: counts accepted files, detected truncations and detected text decoders. Run it before a release that
// changes the check of documents: `node scripts/real-pdfs.mjs [folder ...]`, by default the PDFs in /usr/share/doc. Debian packages
// such as texlive-latex-base-doc, maxima-doc and r-doc-pdf install PDFs from 25 years. Test suites of PDF readers have damaged ones.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { TemplatePdf } from "template-pdf";

/** The numbers of bytes to remove from the end of a document. */
const losses = [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32, 64, 128, 256, 512, 1024, 1025];

const folders = process.argv.length > 2 ? process.argv.slice(2) : ["/usr/share/doc"];
const counts = {
  documents: 0,
  accepted: 0,
  decoded: 0,
  decodedDetected: 0,
  cuts: 0,
  detected: 0,
  harmless: 0,
  detectedByLength: 0,
  innerCuts: 0,
  innerDetected: 0,
};

for (const path of folders.flatMap(pdfsIn)) {
  const bytes = path.endsWith(".gz") ? gunzipSync(readFileSync(path)) : readFileSync(path);
  counts.documents++;
  const refusal = await refusalOf(bytes);
  if (refusal) {
    console.log(`refused: ${path}: ${refusal.message}`);
    continue;
  }
  counts.accepted++;
  const end = bytes.lastIndexOf("%%EOF") + "%%EOF".length;
  for (const encoding of /** @type {const} */ (["utf8", "latin1"])) {
    counts.decoded++;
    const error = await refusalOf(Buffer.from(bytes.toString(encoding)));
    if (error?.message.includes("decoded as text")) counts.decodedDetected++;
  }
  const firstEnd = bytes.indexOf("%%EOF") + "%%EOF".length;
  if (firstEnd !== end) {
    // A document with incremental updates has several ends, and is complete at each of them.
    for (const loss of losses) {
      if (firstEnd + loss >= end) break;
      counts.innerCuts++;
      if (await refusalOf(bytes.subarray(0, firstEnd + loss))) counts.innerDetected++;
    }
    continue;
  }
  for (const loss of [...losses, Math.ceil(bytes.length / 100), Math.ceil(bytes.length / 10)]) {
    const cut = bytes.subarray(0, bytes.length - loss);
    counts.cuts++;
    if (await refusalOf(cut)) counts.detected++;
    else if (cut.length >= end) counts.harmless++;
    else console.log(`missed: ${path} without its last ${loss} bytes`);
    if (await refusalOf(cut, bytes.length)) counts.detectedByLength++;
  }
}
console.log(counts);
process.exitCode = counts.cuts === counts.detected + counts.harmless ? 0 : 1;

/**
 * Requests a document with this body.
 *
 * @param {Uint8Array} bytes
 * @param {number} [contentLength] - the `content-length` of the response, if any
 * @returns {Promise<Error | undefined>}
 */
async function refusalOf(bytes, contentLength) {
  const headers = new Headers({ "content-type": "application/pdf" });
  if (contentLength !== undefined) headers.set("content-length", String(contentLength));
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      // Chunk sizes that do not align with the markers of a document.
      const chunk = bytes.slice(at, at + 1 + ((at * 7_919) % 65_521));
      at += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const client = new TemplatePdf({
    baseUrl: "http://127.0.0.1",
    apiKey: "unused",
    retry: false,
    fetch: async () => new Response(body, { headers }),
  });
  return client
    .generate("real", {})
    .bytes()
    .then(
      () => undefined,
      (error) => error,
    );
}

/** @param {string} folder */
function pdfsIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.pdf(\.gz)?$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
