/** How many pixels a picture has. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Markers that begin a frame: C0 to CF without C4, the Huffman tables; as pdfkit reads them. */
const isFrame = (marker: number | undefined) =>
  marker !== undefined && marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4;

/** Reads the size of a JPEG, in time linear in its length; `undefined` where it is none, or names no size. */
export function readJpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  for (let at = bytes.indexOf(0xff, 2); at !== -1; at = bytes.indexOf(0xff, at)) {
    // Behind the marker: length of the segment, bits, height, width.
    if (at + 9 > bytes.length) return undefined;
    if (isFrame(bytes[at + 1])) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
