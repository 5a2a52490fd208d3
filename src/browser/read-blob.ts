import { ConfigurationError } from "../errors/errors.ts";
import type { GeneratedPdf, PendingPdf } from "../index.ts";

/** A document that this page holds in memory. */
export interface HeldPdf {
  /** The whole of it. */
  readonly blob: Blob;
  /** The name that the service gives the document, where it gives one. */
  readonly filename: string | undefined;
}

/** A document: on its way, arrived, or shown already; or the `Blob` of one. */
export type AnyPdf = PendingPdf | GeneratedPdf | HeldPdf | Blob;

/**
 * Reads a document whole.
 *
 * @throws {ConfigurationError} (rejects) when that is no document
 * @throws whatever `generate` rejects with
 */
export async function readBlob(pdf: AnyPdf): Promise<HeldPdf> {
  if (pdf instanceof Blob) return { blob: pdf, filename: undefined };
  if (!(pdf instanceof Object) || !("blob" in pdf)) {
    throw new ConfigurationError(
      "Expected what `generate` gave, or a Blob of it. Of its forms, take none, or `blob()`.",
    );
  }
  if (isHeld(pdf)) return pdf;
  // The form first: where the document breaks, only a call that was asked for a form is made again.
  const blob = await pdf.blob();
  const { filename } = await pdf;
  return { blob, filename };
}

/** Gives up a document that will not be read; what it fails with is nobody's business any more. */
export function giveUp(pdf: AnyPdf, reason: unknown): void {
  if (!(pdf instanceof Object) || !("cancel" in pdf)) return;
  pdf.cancel(reason).catch(() => {});
  Promise.resolve(pdf).catch(() => {});
}

/**
 * Refuses to do anything with a document, which is given up.
 *
 * @throws {ConfigurationError} with that message
 */
export function refuse(pdf: AnyPdf, message: string): never {
  const error = new ConfigurationError(message);
  giveUp(pdf, error);
  throw error;
}

function isHeld(pdf: PendingPdf | GeneratedPdf | HeldPdf): pdf is HeldPdf {
  return typeof pdf.blob !== "function";
}
