import { assertWholePdf } from "./assert-whole-pdf.ts";
import { bytesGiven } from "./pdf/bytes-given.ts";
import { readByPdfJs } from "./pdf/read-by-pdf-js.ts";
import { readFake } from "./pdf/read-fake.ts";

/**
 * Reads the text of a PDF: its lines, joined with line breaks, page by page.
 *
 * For documents created by `fakePdf()` or `fakeService()`, the function returns the exact text. To read other
 * documents, install the `pdfjs-dist` package. The text of those documents is in drawing order, with the
 * spaces and blank lines that pdf.js finds.
 *
 * @param pdf - the complete document, which is not changed
 * @throws {TypeError} if `pdf` is not a `Uint8Array`, `Buffer`, `ArrayBuffer` or `Blob`
 * @throws {InvalidPdfError} if the document does not begin like a PDF
 * @throws {TruncatedPdfError} if the document begins like a PDF but does not end like one
 * @throws {Error} if the document is encrypted or damaged, or `pdfjs-dist` is needed but cannot be loaded
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
  // The Blob of jsdom has no such method.
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
}
