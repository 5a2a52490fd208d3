import { inflateSync } from "node:zlib";
import { TemplateMistake } from "./template.ts";

/** The properties of a PNG. */
interface Png {
  readonly width: number;
  readonly height: number;
  /** The number of bytes of its pixels, with a filter byte for each row, and some more if interlaced. */
  readonly unpackedBytes: number;
  /** Whether pdfkit has to unpack it, because of transparency or interlacing. */
  readonly mustBeUnpacked: boolean;
  readonly pixels: Buffer;
  /** The image without its compressed pixels, text and metadata. */
  readonly frame: Buffer;
}

const signatureBytes = 8;
/** The length and name before a chunk, and the checksum after it. */
const chunkHeadBytes = 8;
const chunkTailBytes = 4;
const headerBytes = 13;
/** The chunks that pdfkit reads in addition to the pixels. */
const kept: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IEND"]);
/** A palette of 256 colours. */
const mostKeptBytes = 768;

/** The number of channels for each colour type (PNG specification, table 11.1). */
const channelsByType: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Whether bytes begin like a PNG, according to pdfkit's rule. */
export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
}

/**
 * Reads a PNG without unpacking it.
 *
 * pdfkit trusts every length. A negative one, or one beyond the end of the file, would fill the memory.
 */
export function readPng(bytes: Buffer): Png {
  const damaged = damagedPng("its chunks are inconsistent");
  const frame: Buffer[] = [bytes.subarray(0, signatureBytes)];
  const pixels: Buffer[] = [];
  let header: Buffer | undefined;
  let hasPaletteAlpha = false;
  for (let at = signatureBytes, name = ""; name !== "IEND"; ) {
    if (at + chunkHeadBytes > bytes.length) throw damaged;
    const length = bytes.readUInt32BE(at);
    const start = at + chunkHeadBytes;
    const end = start + length + chunkTailBytes;
    name = bytes.toString("latin1", at + 4, start);
    if ((name !== "IEND" && end > bytes.length) || (name === "IHDR") !== (header === undefined))
      throw damaged;
    const content = bytes.subarray(start, start + length);
    if (name === "IHDR") header = content;
    if (name === "IDAT") pixels.push(content);
    if (kept.has(name)) {
      if (length > mostKeptBytes) throw damaged;
      frame.push(bytes.subarray(at, end));
    }
    hasPaletteAlpha ||= name === "tRNS" && header?.[9] === 3;
    at = end;
  }
  if (header?.length !== headerBytes) throw damaged;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits = 0, type = 0, , , interlacing] = header.subarray(8);
  const channels = channelsByType[type] ?? 0;
  const depths = channels === 1 ? [1, 2, 4, 8, 16] : [8, 16];
  if (channels === 0 || !depths.includes(bits) || width === 0 || height === 0) throw damaged;
  const rowBytes = 1 + Math.ceil((width * channels * bits) / 8);
  const isInterlaced = interlacing === 1;
  return {
    width,
    height,
    // The seven passes of an interlaced image have nearly twice as many rows, each of whole bytes.
    unpackedBytes: rowBytes * height + (isInterlaced ? 3 * height : 0),
    mustBeUnpacked: isInterlaced || type === 4 || type === 6 || hasPaletteAlpha,
    pixels: Buffer.concat(pixels),
    frame: Buffer.concat(frame),
  };
}

function damagedPng(why: string): TemplateMistake {
  return new TemplateMistake(`a PNG is damaged: ${why}. Save it again`);
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Larger images are too slow for readers. */
const maxPixels = 100_000_000;

/**
 * The maximum number of unpacked bytes for one document, which take about four times as much memory: 9 megapixels of 8 bits per
 * channel with transparency, such as an A4 page at 300 dpi.
 */
const maxUnpackedBytes = 36_000_000;

/** The maximum number of compressed bytes, which pdfkit holds several times. */
const maxPackedBytes = 8_000_000;

/** Some programs write extra bytes after the last row. */
const surplusBytes = 65_536;

export function checkPixels(size: PictureSize): void {
  if (size.width * size.height > maxPixels) {
    throw tooLarge(size, `the limit is ${maxPixels / 1e6} megapixels`);
  }
}

/** Checks the images of one document, because a small file can unpack to more data than fits in memory. */
export class PictureBudget {
  #unpackedBytes = 0;
  #packedBytes = 0;

  /** Checks a PNG before pdfkit unpacks it without a limit, because an error there ends the thread. */
  spend(png: Png): void {
    // Counts at least one byte for each pixel, because of the transparency.
    this.#unpackedBytes += Math.max(png.unpackedBytes, png.width * png.height);
    this.#packedBytes += png.pixels.length;
    if (this.#unpackedBytes > maxUnpackedBytes || this.#packedBytes > maxPackedBytes) {
      throw tooLarge(
        png,
        `in one document, transparent and interlaced PNGs are limited to a total of ${maxUnpackedBytes / 4e6} megapixels (${maxUnpackedBytes / 8e6} with 16 bits per channel) and ${maxPackedBytes / 1e6} MB`,
      );
    }
    const maxOutputLength = png.unpackedBytes + surplusBytes;
    try {
      // In one piece, because chunks would be joined anyway.
      inflateSync(png.pixels, { maxOutputLength, chunkSize: maxOutputLength });
    } catch {
      throw damagedPng("its pixel data is too long or not deflated");
    }
  }
}

function tooLarge({ width, height }: PictureSize, limit: string): TemplateMistake {
  return new TemplateMistake(
    `an image of ${width} × ${height} pixels is too large: ${limit}. Use a smaller image`,
  );
}
