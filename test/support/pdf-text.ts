import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";

/**
 * Reads a PDF the way a viewer would.
 *
 * @param bytes - the whole document; left as it is
 * @returns the number of pages, and the text of all of them: runs joined by spaces, pages by line breaks
 * @throws when it is not a PDF that can be read.
 */
export async function readPdf(bytes: Uint8Array): Promise<{ pages: number; text: string }> {
  // A copy: pdf.js takes the memory it is given.
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 });
  try {
    const document = await loading.promise;
    const texts: string[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      texts.push(items.map((item) => ("str" in item ? item.str : "")).join(" "));
    }
    return { pages: document.numPages, text: texts.join("\n").replace(/[^\S\n]+/g, " ") };
  } finally {
    await loading.destroy();
  }
}
