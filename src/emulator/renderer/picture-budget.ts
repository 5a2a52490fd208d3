import { inflateSync } from "node:zlib";
import { type PictureSize, readJpegSize } from "./jpeg-size.ts";
import { damagedPng, isPng, type Png, readPng } from "./png.ts";
import { TemplateMistake } from "./template-mistake.ts";

/** No reader shows more of one picture in good time. */
const maxPixels = 100_000_000;

/**
 * How many bytes of pixels may be unpacked for one document, which takes about four times as much memory: 9 megapixels
 * of 8 bits a channel with transparency, such as a page of A4 at 300 dpi.
 */
const maxUnpackedBytes = 36_000_000;

/** How many bytes these pixels may take in their files, which pdfkit holds several times over. */
const maxPackedBytes = 8_000_000;

/** Some programs write a little behind the last row. */
const surplusBytes = 65_536;

/** Watches over the pictures of one document: a file of few bytes can unpack to more than the machine has. */
export class PictureBudget {
  #unpackedBytes = 0;
  #packedBytes = 0;

  /**
   * Checks one picture before it is opened.
   *
   * @param name - how the definition calls it, for the message; `undefined` where it is given as bytes or as a `data:` URL
   * @returns what was read, of a PNG
   * @throws {TemplateMistake} when it is too large by itself or together with those before it, or damaged.
   */
  spend(bytes: Buffer, name: string | undefined): Png | undefined {
    const png = isPng(bytes) ? readPng(bytes, name) : undefined;
    const size = png ?? readJpegSize(bytes);
    // pdfkit refuses it with words of its own.
    if (size === undefined) return undefined;
    if (size.width * size.height > maxPixels) {
      throw tooLarge(size, `a picture may have ${maxPixels / 1e6} megapixels`, name);
    }
    if (png?.mustBeUnpacked) this.#unpack(png, name);
    return png;
  }

  #unpack(png: Png, name: string | undefined): void {
    // A byte for each pixel of the transparency, where a pixel itself takes less.
    const bytes = Math.max(png.unpackedBytes, png.width * png.height);
    this.#unpackedBytes += bytes;
    this.#packedBytes += png.pixels.length;
    if (this.#unpackedBytes > maxUnpackedBytes || this.#packedBytes > maxPackedBytes) {
      throw tooLarge(
        png,
        `transparent and interlaced PNGs in one document are limited to ${maxUnpackedBytes / 4e6} megapixels (${maxUnpackedBytes / 8e6} with 16 bits per channel) and ${maxPackedBytes / 1e6} MB together`,
        name,
      );
    }
    checkLength(png, name);
  }
}

/** pdfkit unpacks without a limit, and what is wrong then ends the whole thread. */
function checkLength({ pixels, unpackedBytes }: Png, name: string | undefined): void {
  const maxOutputLength = unpackedBytes + surplusBytes;
  try {
    // In one piece, as pieces would be joined.
    inflateSync(pixels, { maxOutputLength, chunkSize: maxOutputLength });
  } catch {
    throw damagedPng("its pixels are more than its size says, or no deflated data", name);
  }
}

function tooLarge({ width, height }: PictureSize, limit: string, name: string | undefined): TemplateMistake {
  const origin = name === undefined ? ", given as bytes or as a data: URL," : "";
  return new TemplateMistake(
    `a picture of ${width} × ${height} pixels${origin} is too large: ${limit}. Make it smaller`,
    name,
  );
}
