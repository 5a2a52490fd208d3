import { inflateSync } from "node:zlib";
import { TemplateMistake } from "./template.ts";

/** What a PNG says of itself, and its parts. */
interface Png {
  readonly width: number;
  readonly height: number;
  /** How many bytes its pixels have, with one filter byte a row; of an interlaced one a few more. */
  readonly unpackedBytes: number;
  /** Whether pdfkit has to unpack it: its transparency is stored apart, and no PDF knows interlacing. */
  readonly mustBeUnpacked: boolean;
  readonly pixels: Buffer;
  /** The picture without its compressed pixels, and without text and metadata. */
  readonly frame: Buffer;
}

const signatureBytes = 8;
/** Length and name in front of what a chunk holds, and a checksum behind it. */
const chunkHeadBytes = 8;
const chunkTailBytes = 4;
const headerBytes = 13;
/** What pdfkit reads of a picture beside its pixels. */
const kept: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IEND"]);
/** A palette of 256 colours. */
const mostKeptBytes = 768;

/** By colour type, how many channels a pixel has (PNG specification, table 11.1). */
const channelsByType: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Whether bytes begin as a PNG, as pdfkit tells one. */
export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
}

/**
 * Reads a PNG without unpacking it.
 *
 * pdfkit believes every length in it: one beyond the end of the file, or a negative one, fills the memory.
 */
export function readPng(bytes: Buffer): Png {
  const damaged = damagedPng("its parts do not fit together");
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
    // The seven passes of an interlaced one have nearly twice as many rows, each of whole bytes.
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
