import { assertWholePdf } from "./assert-whole-pdf.ts";
import { bytesGiven } from "./pdf/bytes-given.ts";
import { readByPdfJs } from "./pdf/read-by-pdf-js.ts";
import { readFake } from "./pdf/read-fake.ts";

/**
 * Reads the text of a PDF: its lines, joined by line breaks, page after page.
 *
 * Of what `fakePdf()` and `fakeService()` made it needs nothing else and gives back every character, with line breaks
 * as `\n`. Any other document is read by `pdfjs-dist`, which has to be installed: in the order in which the document
 * draws its text, with spaces and blank lines as pdf.js sees them.
 *
 * @param pdf - the whole document; left as it is
 * @throws {TypeError} when it is no `Uint8Array`, `Buffer`, `ArrayBuffer` or `Blob`
 * @throws {InvalidPdfError} when it does not begin as a PDF
 * @throws {TruncatedPdfError} when it begins as a PDF and does not end as one
 * @throws {Error} when it is encrypted or damaged, or `pdfjs-dist` is needed and cannot be loaded
 *
 * @example
 * ```ts
 * import { fakePdf, pdfText } from "template-pdf/testing";
 *
 * console.log(await pdfText(fakePdf({ text: "Invoice\nTotal: €12.50" })));
 * ```
 */
export async function pdfText(pdf: Uint8Array | ArrayBuffer | Blob): Promise<string> {
  const bytes = isBlob(pdf)
    ? new Uint8Array(await bytesOfBlob(pdf))
    : bytesGiven(pdf, "pdfText()", " or a Blob");
  assertWholePdf(bytes);
  return readFake(bytes) ?? readByPdfJs(bytes);
}

function isBlob(given: unknown): given is Blob {
  return /^\[object (?:Blob|File)\]$/.test(Object.prototype.toString.call(given));
}

function bytesOfBlob(blob: Blob): Promise<ArrayBuffer> {
  if (typeof blob.arrayBuffer === "function") return blob.arrayBuffer();
  // jsdom's has no such method.
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
}
