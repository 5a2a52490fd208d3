import { safeFilename } from "../files/filenames.ts";

/** Names the file for a template's document: its uid, as far as every file system takes it. */
export function pdfNameOf(uid: string): string {
  return `${safeFilename(uid.replace(/\.pdf$/i, "")) ?? "document"}.pdf`;
}
