import { type AnyPdf, readBlob, refuse } from "./read-blob.ts";

/** How long a browser may take to begin with saving, in milliseconds; until then the address must lead to the document. */
const savingBeginsWithinMs = 40_000;

/**
 * Reads a document, whole and proved, and has the browser save it: where, its user decides.
 *
 * @param pdf - what `generate` gave, awaited or not; or a `Blob` of it
 * @param filename - the name to save it under. Default: the name that the service gives, else `document.pdf`
 * @returns when the browser was told to save it; it tells nobody whether it did
 * @throws {ConfigurationError} (rejects) outside a page, and when `filename` is no string; the document is given up then
 * @throws whatever `generate` rejects with, and nothing is saved then
 *
 * @example
 * ```ts
 * await download(pdfs.generate("invoice", values), "invoice.pdf");
 * ```
 */
export async function download(pdf: AnyPdf, filename?: string): Promise<void> {
  if (typeof document === "undefined" || typeof URL.createObjectURL !== "function") {
    refuse(
      pdf,
      "`download` needs a page: here there is no document. On a server, use `saveTo`, or send `response()` to the page.",
    );
  }
  if (filename !== undefined && typeof filename !== "string") {
    refuse(pdf, "Expected the name of the download to be a string.");
  }
  const { blob, filename: given } = await readBlob(pdf);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename ?? given ?? "document.pdf";
  link.hidden = true;
  // Older versions of Firefox follow no link that is not in the page.
  document.body.append(link);
  link.click();
  link.remove();
  const timer: unknown = setTimeout(() => URL.revokeObjectURL(link.href), savingBeginsWithinMs);
  // In a page it is a number; but tests in jsdom run in Node, which would wait for it.
  (timer as { unref?(): void }).unref?.();
}
