import { type AnyPdf, readBlob, refuse } from "./read-blob.ts";

/** The delay in milliseconds before the URL is revoked. The browser must have started to save the document by then. */
const savingBeginsWithinMs = 40_000;

/**
 * Downloads a document: reads it completely, checks it, and asks the browser to save it.
 *
 * @param pdf - the result of `generate`, awaited or not, or a `Blob` created from it
 * @param filename - the file name. Default: the name from the response, otherwise `document.pdf`
 * @returns a promise that resolves when the browser has started to save the document. Browsers do not report whether saving
 * succeeds
 * @throws {ConfigurationError} (rejects) if it is called outside a web page, or if `filename` is not a string. In both cases, the
 * document is cancelled
 * @throws whatever error the call rejects with. Nothing is saved in that case
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
      "`download` works only in a browser page. On a server, use `saveTo`, or send `response()` to the browser.",
    );
  }
  if (filename !== undefined && typeof filename !== "string") {
    refuse(pdf, "Expected `filename` to be a string.");
  }
  const { blob, filename: given } = await readBlob(pdf);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename ?? given ?? "document.pdf";
  link.hidden = true;
  // Older versions of Firefox ignore links that are not in the page.
  document.body.append(link);
  link.click();
  link.remove();
  const timer: unknown = setTimeout(() => URL.revokeObjectURL(link.href), savingBeginsWithinMs);
  // Under jsdom, tests run in Node, where the timer would keep the process alive. In browsers, a timer is a number.
  (timer as { unref?(): void }).unref?.();
}
