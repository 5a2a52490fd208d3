// @ts-check
/** The length of its start and end. */
export const leastBytes = 22;

/**
 * Creates a document of a given size that looks like a PDF.
 *
 * @param {number} bytes - the size, at least `leastBytes`
 */
export function pdfOf(bytes) {
  const document = Buffer.alloc(bytes, "0123456789abcdef\n");
  // The second line of a PDF has bytes that are not text.
  document.write("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1");
  document.write("\n%%EOF\n", bytes - 7);
  return document;
}
