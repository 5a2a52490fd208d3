import type { OpenedImage, PdfDocument } from "pdfmake/js/PDFDocument.js";
import type { ReadPicture } from "./named-folders.ts";
import { checkPixels, isPng, PictureBudget, readPng } from "./picture-sizes.ts";
import { TemplateMistake } from "./template.ts";

const transparentPixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * Makes bytes of every picture and every attached file before pdfmake opens it, so that there is nothing left for it to
 * open: names lead to the folder of pictures, and nothing leads anywhere else.
 *
 * pdfmake's own policy is not enough. What it lets through is opened as a path of the machine; it is not asked for the
 * `<image>` inside an svg text, nor for what is no text, such as an object that looks like a URL, or a
 * number, which Node takes for an open file; and it lets through whatever begins with `data:` (0.3.11).
 *
 * @param prototype - of all documents of this thread
 * @returns by document, why one of its pictures cannot be shown: inside an svg text pdfmake would leave it out, and
 *   print what it is called, which may be a value
 */
export function guardFiles(prototype: PdfDocument, readPicture: ReadPicture): WeakMap<PdfDocument, unknown> {
  const { provideImage, openImage, file } = prototype;
  const failures = new WeakMap<PdfDocument, unknown>();
  const budgets = new WeakMap<PdfDocument, PictureBudget>();
  /** What the picture is called that pdfmake is about to open. */
  let nameOfNext: string | undefined;

  function pictureBytes(source: unknown): Buffer {
    const bytes = bytesIn(source);
    if (bytes) return bytes;
    if (typeof source === "string") return readPicture(source);
    throw new TemplateMistake(
      "a picture is to be the name of a file, or its content as a data: URL in base64 or as bytes",
    );
  }

  function openChecked(document: PdfDocument, source: unknown): OpenedImage {
    const bytes = pictureBytes(source);
    const png = isPng(bytes) ? readPng(bytes) : undefined;
    if (png) checkPixels(png);
    if (png?.mustBeUnpacked) {
      const budget = budgets.get(document) ?? new PictureBudget();
      budgets.set(document, budget);
      budget.spend(png);
    }
    // Without its pixels first: pdfkit takes 40 bytes of memory for each of their bytes.
    const opened = openImage.call(document, png?.frame ?? bytes);
    if (png === undefined) checkPixels(opened);
    else if (Buffer.isBuffer(opened.imgData) && Buffer.isBuffer(opened.image?.imgData)) {
      opened.imgData = png.pixels;
      opened.image.imgData = png.pixels;
    } else return openImage.call(document, bytes);
    return opened;
  }

  prototype.provideImage = function (source) {
    if (typeof source !== "string") {
      pictureBytes(source);
    } else if (!isDataUrl(source) && !isDataUrl(this.images[source])) {
      // pdfmake takes a picture of this form by its name, and keeps it under that for when it is shown again.
      const bytes = pictureBytes(this.images[source] ?? source);
      this.images[source] = `data:;base64,${bytes.toString("base64")}`;
    }
    nameOfNext = nameOf(source);
    try {
      return provideImage.call(this, source);
    } finally {
      nameOfNext = undefined;
    }
  };
  prototype.openImage = function (source) {
    try {
      return openChecked(this, source);
    } catch (failure) {
      if (failure instanceof TemplateMistake) failure.about ??= nameOfNext ?? nameOf(source);
      failures.set(this, failure);
      return openImage.call(this, transparentPixel);
    }
  };
  prototype.file = function (source, options = {}) {
    const bytes = bytesIn(source);
    if (bytes === undefined) {
      throw new TemplateMistake(
        "it attaches a file of this machine; give its content as a data: URL in base64",
      );
    }
    const { name } = options;
    return file.call(this, bytes, { ...options, name: typeof name === "string" ? name : "attachment" });
  };
  return failures;
}

/** A picture in the text of the definition itself has no name; pdfmake gives it one that no template has. */
function nameOf(source: unknown): string | undefined {
  const isNamed = typeof source === "string" && !isDataUrl(source) && !source.startsWith("$$pdfmake$$");
  return isNamed ? source : undefined;
}

/** Of data URLs only those in base64; pdfmake would open another as a path. */
const dataUrl = /^data:[^,]*;base64,(.*)$/s;

function isDataUrl(source: unknown): boolean {
  return typeof source === "string" && dataUrl.test(source);
}

/** The bytes that a definition brings along: itself, or as a data URL. */
function bytesIn(source: unknown): Buffer | undefined {
  if (source instanceof Uint8Array) return Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer) return Buffer.from(source);
  const base64 = typeof source === "string" ? dataUrl.exec(source)?.[1] : undefined;
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}
