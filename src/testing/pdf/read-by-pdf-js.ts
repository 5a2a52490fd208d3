import { describeThrown, readForeign } from "../../errors/foreign-values.ts";

type PdfJs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

/**
 * Reads the text of any PDF with pdf.js.
 *
 * @throws {Error} if pdf.js cannot be loaded, or cannot read the document
 */
export async function readByPdfJs(bytes: Uint8Array): Promise<string> {
  const loading = await openByPdfJs(bytes);
  try {
    const document = await loading.promise;
    const pages: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      pages.push(items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""));
      page.cleanup();
    }
    return pages.join("\n");
  } catch (error) {
    throw new Error(problemOf(error), { cause: error });
  } finally {
    await loading.destroy();
  }
}

/**
 * Opens a PDF with pdf.js.
 *
 * @param files - where pdf.js finds the files that only rendering needs
 * @throws {Error} if pdf.js cannot be loaded
 */
export async function openByPdfJs(
  bytes: Uint8Array,
  files: { readonly standardFontDataUrl?: string; readonly cMapUrl?: string } = {},
): Promise<ReturnType<PdfJs["getDocument"]>> {
  // The imports are in the block itself, where bundlers for browsers accept missing packages.
  try {
    const { getDocument, GlobalWorkerOptions, VerbosityLevel } = await import(
      "pdfjs-dist/legacy/build/pdf.mjs"
    );
    const { workerPort, workerSrc } = GlobalWorkerOptions;
    // pdf.js runs in this thread, unless the program has configured a worker, which would need the URL of a file.
    if (!workerPort && (!workerSrc || workerSrc === "./pdf.worker.mjs")) {
      // @ts-expect-error: it has no types, and only its side effect is used.
      await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
    }
    // A copy, because pdf.js takes ownership of the bytes.
    return getDocument({ data: Uint8Array.from(bytes), verbosity: VerbosityLevel.ERRORS, ...files });
  } catch (error) {
    throw new Error(adviceOn(error), { cause: error });
  }
}

/** Returns the advice if pdf.js cannot be loaded or started. */
export function adviceOn(error: unknown): string {
  const isOfJest =
    readForeign(error, "code") === "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG" ||
    describeThrown(error).includes("experimental-vm-modules");
  const advice = isOfJest
    ? "an ES module, which Jest can load only if Node runs with --experimental-vm-modules."
    : "which could not be loaded. Install a version (4 or later) that supports this runtime: npm install --save-dev pdfjs-dist";
  return `For documents that fakePdf() or fakeService() did not create, pdfText() needs pdfjs-dist, ${advice}`;
}

/** Messages of pdf.js may quote the document, so they are only in the cause. */
function problemOf(error: unknown): string {
  const name = readForeign(error, "name");
  if (name === "PasswordException") {
    return "This PDF is encrypted, and pdfText() cannot decrypt it. Generate it without a password for the test.";
  }
  if (name === "InvalidPDFException") {
    return "This PDF is damaged: it begins and ends correctly, but pdf.js cannot read its content. Check that it was handled as bytes and never as text.";
  }
  return "pdfjs-dist could not read this PDF. Check the document, and that pdfjs-dist supports this runtime; `cause` has the details.";
}
