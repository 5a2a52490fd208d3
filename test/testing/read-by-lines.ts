import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { vi } from "vitest";

/** What pdf.js says of a document, as strictly as it can. */
export interface Reading {
  readonly pages: number;
  /** What it takes for lines, page after page. */
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads a document by pdf.js alone, as a program with no kit would.
 *
 * @throws when pdf.js finds anything that it would have to mend
 */
export async function readByLines(bytes: Uint8Array): Promise<Reading> {
  const warnings: string[] = [];
  const spies = (["log", "warn", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...words) => {
      warnings.push(words.join(" "));
    }),
  );
  const loading = getDocument({
    data: Uint8Array.from(bytes),
    verbosity: 1,
    stopAtErrors: true,
  });
  try {
    const document = await loading.promise;
    const pages: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent({ disableNormalization: true });
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      if (text !== "") pages.push(text);
    }
    return { pages: document.numPages, lines: pages.join("\n").split("\n"), warnings };
  } finally {
    await loading.destroy();
    for (const spy of spies) spy.mockRestore();
  }
}
