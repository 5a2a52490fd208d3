import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { vi } from "vitest";

/** What pdf.js reads in a document in its strictest mode. */
export interface Reading {
  readonly pages: number;
  /** The lines that it finds, page by page. */
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads a document with pdf.js only, as a program without this package would.
 *
 * @throws if pdf.js finds anything that it would have to repair
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
