import { encodingOfPdf, wasDecodedAsText } from "../call/decoded-text.ts";
import { PdfCheck } from "../call/pdf-check.ts";
import { InvalidPdfError, TruncatedPdfError } from "../index.ts";
import { bytesGiven } from "./pdf/bytes-given.ts";

/**
 * Throws if the bytes are not a complete PDF. As in the client, `%PDF-` must appear in the first 1,024 bytes and `%%EOF` in
 * the last 1,024, ignoring trailing NULs and white space. An `%%EOF` inside the document does not count, and the
 * document must not have been decoded as text.
 *
 * The function does not check the content. Use `pdfText()` to read the text.
 *
 * @param bytes - the document: a `Uint8Array`, a `Buffer` or an `ArrayBuffer`
 * @throws {TypeError} if `bytes` is anything else, such as a promise that was not awaited
 * @throws {InvalidPdfError} if the document does not begin like a PDF, is empty, or was decoded as text on its way
 * @throws {TruncatedPdfError} if the document begins like a PDF but does not end like one
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
  if (verifier.wasDecoded) {
    throw new InvalidPdfError(`This PDF is damaged: it ${wasDecodedAsText}. Pass on its bytes unchanged.`, {
      excerpt: "",
    });
  }
  if (verifier.begins !== true) {
    throw new InvalidPdfError(
      `This is not a PDF: ${document.length === 0 ? "it is empty" : `it is ${document.length} byte${document.length === 1 ? "" : "s"} long and does not begin with %PDF-${likeness(document)}`}. Check the code that created or fetched it.`,
      { excerpt: "" },
    );
  }
  if (!verifier.ends()) {
    throw new TruncatedPdfError(
      `This PDF is truncated: its ${document.length} bytes do not end with %%EOF. Check that the whole PDF was written and read.`,
      { receivedBytes: document.length },
    );
  }
}

/** Guesses the type from the first character. The text itself may be secret. */
function likeness(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes.subarray(0, 1024));
  const encoding = encodingOfPdf(text);
  if (encoding !== undefined) return `, but looks like a PDF ${encoding}`;
  const first = text.replace(/^(?:\xef\xbb\xbf)?\s*/, "")[0];
  if (first === "<") return ", but looks like HTML or XML";
  if (first === "{" || first === "[") return ", but looks like JSON";
  return "";
}
