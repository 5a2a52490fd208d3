// @ts-check
/** So long are its beginning and its end. */
export const leastBytes = 16;

/**
 * A PDF-shaped document of exactly so many bytes.
 *
 * @param {number} bytes - at least as many
 */
export function pdfOf(bytes) {
  const document = Buffer.alloc(bytes, "0123456789abcdef\n");
  document.write("%PDF-1.7\n");
  document.write("\n%%EOF\n", bytes - 7);
  return document;
}
