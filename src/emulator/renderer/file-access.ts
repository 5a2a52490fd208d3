import type { PdfDocument } from "pdfmake/js/PDFDocument.js";
import { PictureBudget } from "./picture-budget.ts";
import type { Pictures } from "./pictures.ts";
import type { Png } from "./png.ts";
import { TemplateMistake } from "./template-mistake.ts";

/** A transparent picture of one pixel. */
const pixel = Buffer.from(
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
 * Before a picture is opened, its size is checked, see `PictureBudget`.
 *
 * @param prototype - of all documents of this thread
 * @returns by document, why one of its pictures cannot be shown: inside an svg text pdfmake would leave it out, and
 *   print what it is called, which may be a value
 */
export function guardFiles(prototype: PdfDocument, pictures: Pictures): WeakMap<PdfDocument, unknown> {
  const { provideImage, openImage, file } = prototype;
  const failures = new WeakMap<PdfDocument, unknown>();
  const budgets = new WeakMap<PdfDocument, PictureBudget>();
  /** What the picture is called that pdfmake is about to open. */
  let nameOfNext: string | undefined;

  function openChecked(document: PdfDocument, source: unknown): unknown {
    const name = nameOfNext ?? nameOf(source);
    const bytes = pictureBytes(source, pictures);
    const budget = budgets.get(document) ?? new PictureBudget();
    budgets.set(document, budget);
    const png = budget.spend(bytes, name);
    const opened = png && withPixels(openImage.call(document, png.frame), png);
    return opened ?? openImage.call(document, bytes);
  }

  prototype.provideImage = function (source) {
    if (typeof source !== "string") {
      pictureBytes(source, pictures);
    } else if (!isDataUrl(source) && !isDataUrl(this.images[source])) {
      // pdfmake takes a picture of this form by its name, and keeps it under that for when it is shown again.
      this.images[source] = asDataUrl(pictureBytes(this.images[source] ?? source, pictures));
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
      failures.set(this, failure);
      return openImage.call(this, pixel);
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

/**
 * Gives a PNG that was opened without its pixels their bytes. pdfkit itself takes 40 bytes of memory for each of them.
 *
 * @returns `undefined` if this pdfkit keeps them elsewhere
 */
function withPixels(opened: unknown, { pixels }: Png): unknown {
  const picture = opened as { imgData?: unknown; image?: { imgData?: unknown } | null };
  if (!Buffer.isBuffer(picture.imgData) || !Buffer.isBuffer(picture.image?.imgData)) return undefined;
  picture.imgData = pixels;
  picture.image.imgData = pixels;
  return picture;
}

function pictureBytes(source: unknown, pictures: Pictures): Buffer {
  const bytes = bytesIn(source);
  if (bytes) return bytes;
  if (typeof source === "string") return pictures.read(source);
  throw new TemplateMistake(
    "a picture is to be the name of a file, or its content as a data: URL in base64 or as bytes",
  );
}

/** Of data URLs only those in base64; pdfmake would open another as a path. */
const dataUrl = /^data:[^,]*;base64,(.*)$/s;

function isDataUrl(source: unknown): boolean {
  return typeof source === "string" && dataUrl.test(source);
}

function asDataUrl(bytes: Buffer): string {
  return `data:;base64,${bytes.toString("base64")}`;
}

/** The bytes that a definition brings along: itself, or as a data URL. */
function bytesIn(source: unknown): Buffer | undefined {
  if (source instanceof Uint8Array) return Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer) return Buffer.from(source);
  if (typeof source !== "string") return undefined;
  const base64 = dataUrl.exec(source)?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}
