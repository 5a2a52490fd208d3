/**
 * Counts the pages of a PDF created by pdfmake, which writes its page objects as plain text. @param text - the document as
 * Latin-1
 */
export function countPages(text: string): number {
  return text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
}
