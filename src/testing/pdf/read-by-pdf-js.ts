type PdfJs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

/**
 * Reads the text of any PDF by pdf.js.
 *
 * @throws {Error} when pdf.js cannot be loaded, or cannot read the document
 */
export async function readByPdfJs(bytes: Uint8Array): Promise<string> {
  const loading = await startLoading(bytes);
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

async function startLoading(bytes: Uint8Array): Promise<ReturnType<PdfJs["getDocument"]>> {
  // The imports stand in the block itself: there, a bundler for pages lets them be missing.
  try {
    const { getDocument, GlobalWorkerOptions, VerbosityLevel } = await import(
      "pdfjs-dist/legacy/build/pdf.mjs"
    );
    const { workerPort, workerSrc } = GlobalWorkerOptions;
    // In this thread, unless the program has told it of another: a page would need the address of a file.
    if (!workerPort && (!workerSrc || workerSrc === "./pdf.worker.mjs")) {
      // @ts-expect-error: it comes without types, and nothing of it is used by name.
      await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
    }
    // A copy: pdf.js takes what it is given for itself.
    return getDocument({ data: Uint8Array.from(bytes), verbosity: VerbosityLevel.ERRORS });
  } catch (error) {
    throw new Error(adviceOn(error), { cause: error });
  }
}

/** What to do where pdf.js cannot be loaded or started. */
export function adviceOn(error: unknown): string {
  const { code, message = "" } = error as { readonly code?: unknown; readonly message?: string };
  const isOfJest =
    code === "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG" || message.includes("experimental-vm-modules");
  const advice = isOfJest
    ? "an ES module, which Jest can load only when Node is started with --experimental-vm-modules."
    : "which could not be loaded here. Install version 4 or later, as far as it goes with this runtime: npm install --save-dev pdfjs-dist";
  return `pdfText() reads documents of fakePdf() and fakeService() by itself, and all others by pdfjs-dist, ${advice}`;
}

/** What pdf.js says may quote the document, so it is told in words of our own; its own stay in the cause. */
function problemOf(error: unknown): string {
  const name = (error as { readonly name?: unknown } | null)?.name;
  if (name === "PasswordException") {
    return "This PDF is encrypted, and pdfText() has no password for it. Make it without one where its text is tested.";
  }
  if (name === "InvalidPDFException") {
    return "This PDF is damaged: it begins and ends as one, but pdf.js cannot read what is between. Check what made it, and that it was handled as bytes and never as text.";
  }
  return "This PDF could not be read by pdfjs-dist. Check what made the document, and that the version of pdfjs-dist goes with this runtime; the cause tells more.";
}
