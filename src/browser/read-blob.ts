import { ConfigurationError } from "../errors/errors.ts";
import type { GeneratedPdf, PendingPdf } from "../index.ts";

/** A document that this page holds in memory. */
export interface HeldPdf {
  /** The complete document. */
  readonly blob: Blob;
  /** The file name from the response, if any. */
  readonly filename: string | undefined;
}

/** A pending or generated document, a document with an object URL, or a `Blob`. */
export type AnyPdf = PendingPdf | GeneratedPdf | HeldPdf | Blob;

/**
 * Reads a document completely.
 *
 * @throws {ConfigurationError} (rejects) if `pdf` is not a document
 * @throws whatever error the call rejects with
 */
export async function readBlob(pdf: AnyPdf): Promise<HeldPdf> {
  if (pdf instanceof Blob) return { blob: pdf, filename: undefined };
  if (!(pdf instanceof Object) || !("blob" in pdf)) {
    throw new ConfigurationError("Expected the result of `generate`, or its `blob()`.");
  }
  if (isHeld(pdf)) return pdf;
  // Calls the output method before awaiting the document, because a truncated response is retried only then.
  const blob = await pdf.blob();
  const { filename } = await pdf;
  return { blob, filename };
}

/** Cancels a document that will not be read, and ignores its error. */
export function giveUp(pdf: AnyPdf, reason: unknown): void {
  if (!(pdf instanceof Object) || !("cancel" in pdf)) return;
  pdf.cancel(reason).catch(() => {});
  Promise.resolve(pdf).catch(() => {});
}

/**
 * Cancels a document and throws.
 *
 * @throws {ConfigurationError} with this message
 */
export function refuse(pdf: AnyPdf, message: string): never {
  const error = new ConfigurationError(message);
  giveUp(pdf, error);
  throw error;
}

function isHeld(pdf: PendingPdf | GeneratedPdf | HeldPdf): pdf is HeldPdf {
  return typeof pdf.blob !== "function";
}
