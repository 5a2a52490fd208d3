import { safeFilename } from "../files/filenames.ts";

/**
 * Whether browsers save a document or show it.
 *
 * @inline
 */
export type Disposition = "attachment" | "inline";

/**
 * Creates a `content-disposition` header with a file name that is safe on every system.
 *
 * The name always ends in `.pdf`. A non-ASCII name is also sent as `filename*`, in addition to an ASCII replacement.
 *
 * @param filename - the file name, with or without `.pdf`
 * @param disposition - Default: `attachment`
 *
 * @example
 * ```ts
 * import { contentDisposition } from "template-pdf/handler";
 *
 * console.log(contentDisposition("Rechnung März"));
 * // attachment; filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf
 * ```
 *
 * @see https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187
 */
export function contentDisposition(filename: string, disposition: Disposition = "attachment"): string {
  const name = `${safeFilename(filename.replace(/\.pdf$/i, "")) ?? "document"}.pdf`;
  // RFC 6266, appendix D: no "%" in the plain name, because some readers would decode it.
  const plain = name.replace(/[^\x20-\x7e]|%/gu, "_");
  const header = `${disposition}; filename="${plain}"`;
  return plain === name ? header : `${header}; filename*=UTF-8''${percentEncode(name)}`;
}

/** RFC 8187 allows fewer plain characters (attr-char) than `encodeURIComponent`. */
function percentEncode(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
