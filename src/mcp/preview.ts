import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { openByPdfJs } from "../testing/pdf/read-by-pdf-js.ts";

/** The longer side of the picture in pixels. */
const longerSide = 1_200;

/** What pdf.js creates in Node with the package @napi-rs/canvas. */
interface NodeCanvas {
  readonly canvas: { toBuffer(type: "image/png"): Buffer };
  readonly context: CanvasRenderingContext2D;
}

/**
 * Renders the first page of a PDF.
 *
 * @throws {Error} if the optional packages are missing, or cannot read the document. The message is a warning for the result
 */
export async function renderFirstPage(pdf: Uint8Array): Promise<{ png: Buffer; pages: number }> {
  const loading = await load(pdf).catch((cause): never => {
    throw new Error("There is no preview, because pdfjs-dist is missing. Run npm install pdfjs-dist.", {
      cause,
    });
  });
  try {
    const document = await loading.promise;
    const page = await document.getPage(1);
    const { width, height } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: longerSide / Math.max(width, height) });
    const factory = document.canvasFactory as { create(width: number, height: number): NodeCanvas };
    const { canvas, context } = factory.create(Math.ceil(viewport.width), Math.ceil(viewport.height));
    // Older versions of pdf.js do not know `canvas`.
    await page.render({ canvas: null, canvasContext: context, viewport }).promise;
    return { png: canvas.toBuffer("image/png"), pages: document.numPages };
  } catch (cause) {
    // Messages of pdf.js may quote the document.
    const why = "pdf.js cannot render this document, or the package @napi-rs/canvas is missing";
    throw new Error(`There is no preview, because ${why}.`, { cause });
  } finally {
    await loading.destroy();
  }
}

async function load(pdf: Uint8Array) {
  const files = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return openByPdfJs(pdf, {
    standardFontDataUrl: join(files, "standard_fonts") + sep,
    cMapUrl: join(files, "cmaps") + sep,
  });
}
