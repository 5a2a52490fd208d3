import { inflateSync } from "node:zlib";
import { damagedPng, type Png } from "./png.ts";
import { TemplateMistake } from "./template.ts";

/** How many pixels a picture has. */
interface PictureSize {
  readonly width: number;
  readonly height: number;
}

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

/** @throws {TemplateMistake} when a picture has more pixels than any may have. */
export function checkPixels(size: PictureSize): void {
  if (size.width * size.height > maxPixels) {
    throw tooLarge(size, `a picture may have ${maxPixels / 1e6} megapixels`);
  }
}

/** Watches over the pictures of one document: a file of few bytes can unpack to more than the machine has. */
export class PictureBudget {
  #unpackedBytes = 0;
  #packedBytes = 0;

  /** Checks one PNG before pdfkit unpacks it, which has no limit there; what is wrong then ends the whole thread. */
  spend(png: Png): void {
    // A byte for each pixel of the transparency, where a pixel itself takes less.
    this.#unpackedBytes += Math.max(png.unpackedBytes, png.width * png.height);
    this.#packedBytes += png.pixels.length;
    if (this.#unpackedBytes > maxUnpackedBytes || this.#packedBytes > maxPackedBytes) {
      throw tooLarge(
        png,
        `transparent and interlaced PNGs in one document are limited to ${maxUnpackedBytes / 4e6} megapixels (${maxUnpackedBytes / 8e6} with 16 bits per channel) and ${maxPackedBytes / 1e6} MB together`,
      );
    }
    const maxOutputLength = png.unpackedBytes + surplusBytes;
    try {
      // In one piece, as pieces would be joined.
      inflateSync(png.pixels, { maxOutputLength, chunkSize: maxOutputLength });
    } catch {
      throw damagedPng("its pixels are more than its size says, or no deflated data");
    }
  }
}

function tooLarge({ width, height }: PictureSize, limit: string): TemplateMistake {
  return new TemplateMistake(
    `a picture of ${width} × ${height} pixels is too large: ${limit}. Make it smaller`,
  );
}
