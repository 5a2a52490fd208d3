import { PdfCheck } from "../call/pdf-check.ts";
import { InvalidPdfError, TruncatedPdfError } from "../index.ts";
import { bytesGiven } from "./pdf/bytes-given.ts";

/**
 * Throws where bytes are no whole PDF, by the rule that the client itself goes by: `%PDF-` within the first 1,024
 * bytes, and `%%EOF` within the last 1,024, where NULs and white space at the end are not counted.
 *
 * Whether a reader finds anything wrong in between is another question, which `pdfText()` answers.
 *
 * @param bytes - the document: a `Uint8Array`, a `Buffer` or an `ArrayBuffer`
 * @throws {TypeError} when `bytes` is anything else, such as a promise that was not awaited
 * @throws {InvalidPdfError} when it does not begin as a PDF, or is empty
 * @throws {TruncatedPdfError} when it begins as a PDF and does not end as one
 *
 * @example
 * ```ts
 * import { assertWholePdf, fakePdf } from "template-pdf/testing";
 *
 * assertWholePdf(fakePdf({ text: "Invoice" }));
 * ```
 *
 * @see PDF Reference 1.7, appendix H, notes 13 and 18
 */
export function assertWholePdf(bytes: unknown): asserts bytes is Uint8Array | ArrayBuffer {
  const document = bytesGiven(bytes, "assertWholePdf()");
  const verifier = new PdfCheck();
  verifier.update(document);
  if (verifier.begins !== true) {
    throw new InvalidPdfError(
      `This is no PDF: ${document.length === 0 ? "it is empty" : `its ${document.length} bytes do not begin as one${likeness(document)}`}. Check what made or fetched it.`,
      { excerpt: "" },
    );
  }
  if (!verifier.ends()) {
    throw new TruncatedPdfError(
      `This PDF is cut off: its ${document.length} bytes have no end mark (%%EOF) where they end. Check that all of it was written and read.`,
      { receivedBytes: document.length },
    );
  }
}

/** What it is instead, as far as its first character tells. Its text may be secret. */
function likeness(bytes: Uint8Array): string {
  const first = String.fromCharCode(...bytes.subarray(0, 64)).replace(/^(?:\xef\xbb\xbf)?\s*/, "")[0];
  if (first === "<") return ", but as HTML or XML";
  if (first === "{" || first === "[") return ", but as JSON";
  return "";
}
