import { safeFilename } from "../files/filenames.ts";

/**
 * Whether a document is to be saved, or shown where the caller is.
 *
 * @inline
 */
export type Disposition = "attachment" | "inline";

/**
 * Builds a `content-disposition` header that offers the document under a file name safe on every system.
 *
 * It always ends in `.pdf`. A name that is not plain ASCII goes out twice: as a plain stand-in, and whole as `filename*`.
 *
 * @param filename - the name wished for, with or without `.pdf`
 * @param disposition - Default: `attachment`
 * @example
 * contentDisposition("Rechnung März"); // attachment; filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf
 * @see https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187
 */
export function contentDisposition(filename: string, disposition: Disposition = "attachment"): string {
  const name = `${safeFilename(filename.replace(/\.pdf$/i, "")) ?? "document"}.pdf`;
  // RFC 6266, appendix D: no "%" in the plain form, some readers would decode it.
  const plain = name.replace(/[^\x20-\x7e]|%/gu, "_");
  const header = `${disposition}; filename="${plain}"`;
  return plain === name ? header : `${header}; filename*=UTF-8''${percentEncode(name)}`;
}

/** RFC 8187 allows fewer plain characters (attr-char) than `encodeURIComponent` leaves alone. */
function percentEncode(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
