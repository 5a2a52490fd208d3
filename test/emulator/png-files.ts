import { deflateSync } from "node:zlib";

/** The header and the content of a PNG. */
export interface PngFile {
  readonly width: number;
  readonly height: number;
  /** 0: grey, 2: colour, 3: palette, 4 and 6: grey and colour with transparency. */
  readonly type?: number;
  readonly bits?: number;
  readonly isInterlaced?: boolean;
  /** The pixels, with a filter byte before each row. Default: none. */
  readonly rows?: Uint8Array;
  /** Chunks between header and pixels. */
  readonly chunks?: readonly Buffer[];
}

/** Creates a valid or invalid PNG without checksums, because pdfkit does not verify them. */
export function pngFile(file: PngFile): Buffer {
  const { width, height, type = 6, bits = 8, isInterlaced = false } = file;
  const { rows = new Uint8Array(0), chunks = [] } = file;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, type, 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    ...chunks,
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND"),
  ]);
}

/** @param length - the declared length. Default: the actual length */
export function chunk(
  name: string,
  content: Uint8Array = new Uint8Array(0),
  length = content.length,
): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length);
  head.write(name, 4, "latin1");
  return Buffer.concat([head, content, Buffer.alloc(4)]);
}

/** Creates a JPEG that contains only the segments that determine its size. */
export function jpegFile(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const start = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 6, 0xff, 0xc0, 0xff, 0xc0]);
  return Buffer.concat([start, frame, Buffer.from([0xff, 0xd9])]);
}
