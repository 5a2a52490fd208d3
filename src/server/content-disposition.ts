/** File systems take 255 bytes a name, and a character takes 4 bytes at most; the rest is for `.pdf` and " (1)". */
const maxCharacters = 60;

/**
 * Builds a `content-disposition` header that offers the document under a file name safe on every system.
 *
 * Characters that file systems or readers trip over (separators, control characters, text direction
 * marks, lone surrogates) become `_`; the name is cut to 60 characters and always ends in `.pdf`.
 * A name that is not plain ASCII goes out twice: as a plain stand-in, and whole as `filename*`.
 *
 * @param filename - the name wished for, with or without `.pdf`
 * @example
 * contentDisposition("Rechnung März"); // attachment; filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf
 * @see https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187
 */
export function contentDisposition(filename: string): string {
  const name = safeName(filename);
  // RFC 6266, appendix D: no "%" in the plain form, some readers would decode it.
  const plain = name.replace(/[^\x20-\x7e]|%/gu, "_");
  const header = `attachment; filename="${plain}"`;
  return plain === name ? header : `${header}; filename*=UTF-8''${percentEncode(name)}`;
}

function safeName(filename: string): string {
  const stem = filename
    .replace(/\.pdf$/i, "")
    .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}"*/:<>?\\|]/gu, "_")
    // Neither hidden on Unix nor altered on Windows, which drops trailing dots and spaces.
    .replace(/^[.\s]+|[.\s]+$/gu, "");
  const name = [...stem].slice(0, maxCharacters).join("").trimEnd();
  if (name === "") return "document.pdf";
  // Windows keeps these names for devices, whatever the extension.
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name) ? `_${name}.pdf` : `${name}.pdf`;
}

/** RFC 8187 allows fewer plain characters (attr-char) than `encodeURIComponent` leaves alone. */
function percentEncode(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
