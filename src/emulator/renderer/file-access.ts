import { basename } from "node:path";
import type { OpenedImage, PdfDocument } from "pdfmake/js/PDFDocument.js";
import { isInstance } from "../../errors/foreign-values.ts";
import type { ReadPicture } from "./named-folders.ts";
import { checkPixels, isPng, PictureBudget, readPng } from "./picture-sizes.ts";
import { TemplateMistake } from "./template.ts";
import { readUserFile } from "./user-file.ts";

const transparentPixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * Replaces every image, font and attached file with its bytes before pdfmake opens it. Names refer to the image folder, and no other
 * file can be opened.
 *
 * pdfmake's own policy (0.3.11) is not sufficient. It opens allowed names as paths, and allows everything that begins with
 * `data:`. It does not check `<image>` in SVG strings. Nor does it check values other than strings, such as URL-like objects, or
 * numbers, which Node treats as open files.
 *
 * @param prototype - the prototype of all documents in this thread
 * @param onFailure - called when an image cannot be shown
 * @returns for each document, the reason why an image cannot be shown. In SVG strings, pdfmake would omit the image and print its
 * name, which may be a value
 */
export function guardFiles(
  prototype: PdfDocument,
  readPicture: ReadPicture,
  onFailure: () => void,
): WeakMap<PdfDocument, unknown> {
  const { provideImage, openImage, file, provideFont } = prototype;
  const failures = new WeakMap<PdfDocument, unknown>();
  const budgets = new WeakMap<PdfDocument, PictureBudget>();
  /** The name of the image that pdfmake is about to open. */
  let nameOfNext: string | undefined;

  function pictureBytes(source: unknown): Buffer {
    const bytes = bytesIn(source);
    if (bytes) return bytes;
    if (typeof source === "string") return readPicture(source);
    throw new TemplateMistake("an image must be the name of a file, a data: URL in base64, or bytes");
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
    // Opened without its pixels first, because pdfkit takes 40 times their size in memory.
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
      // pdfmake reads such an image by its name, and caches it under that name.
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
      if (isInstance(failure, TemplateMistake)) failure.about ??= nameOfNext ?? nameOf(source);
      onFailure();
      failures.set(this, failure);
      return openImage.call(this, transparentPixel);
    }
  };
  prototype.provideFont = function (...[family, bold, italics]) {
    const path = this.getFontFile(family, bold, italics);
    const font = this.fonts[family];
    if (font && typeof path === "string") {
      font[this.getFontType(bold, italics)] = readUserFile(path, basename(path));
    }
    return provideFont.call(this, family, bold, italics);
  };
  prototype.file = function (source, options = {}) {
    const bytes = bytesIn(source);
    if (bytes === undefined) {
      throw new TemplateMistake(
        "it attaches a file on this machine; pass the content as a data: URL in base64",
      );
    }
    const { name } = options;
    return file.call(this, bytes, { ...options, name: typeof name === "string" ? name : "attachment" });
  };
  return failures;
}

/** An inline image has no name. pdfmake assigns one that templates cannot use. */
function nameOf(source: unknown): string | undefined {
  const isNamed = typeof source === "string" && !isDataUrl(source) && !source.startsWith("$$pdfmake$$");
  return isNamed ? source : undefined;
}

/** Only data URLs in base64 are allowed; pdfmake would open others as paths. */
const dataUrl = /^data:[^,]*;base64,(.*)$/s;

function isDataUrl(source: unknown): boolean {
  return typeof source === "string" && dataUrl.test(source);
}

/** Returns the bytes in a definition: bytes, or a data URL. */
function bytesIn(source: unknown): Buffer | undefined {
  if (source instanceof Uint8Array) return Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer) return Buffer.from(source);
  const base64 = typeof source === "string" ? dataUrl.exec(source)?.[1] : undefined;
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}
