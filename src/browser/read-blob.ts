import type { GeneratedPdf, PendingPdf } from "../index.ts";

/** A document that nobody has read yet, on its way or arrived; or one that was read as a blob. */
export type AnyPdf = PendingPdf | GeneratedPdf | Blob;

/** Reads a document whole, and the name that the service gave it. */
export async function readBlob(pdf: AnyPdf): Promise<{ blob: Blob; filename: string | undefined }> {
  if (!("blob" in pdf)) return { blob: pdf, filename: undefined };
  // The form first: where the document breaks, only a call that was asked for a form is made again.
  const blob = await pdf.blob();
  const { filename } = await pdf;
  return { blob, filename };
}
