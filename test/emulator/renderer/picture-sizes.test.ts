import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PictureBudget, readPng } from "../../../src/emulator/renderer/picture-sizes.ts";
import { renderPdf } from "../../support/render-pdf.ts";

/**
 * The header and the content of a PNG. Types: 0 is grey, 2 is colour, 3 has a palette, 6 has transparency. `rows` are the pixels with
 * a filter byte before each row, and `chunks` are between them and the header.
 */
interface PngFile extends Partial<Record<"type" | "bits", number>> {
  readonly width: number;
  readonly height: number;
  readonly isInterlaced?: boolean;
  readonly rows?: Uint8Array;
  readonly chunks?: readonly Buffer[];
}

/** Creates a valid or invalid PNG without checksums, because pdfkit does not verify them. */
function pngFile(file: PngFile): Buffer {
  const { width, height, type = 6, bits = 8, isInterlaced = false } = file;
  const { rows = new Uint8Array(0), chunks = [] } = file;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, type, 0, 0, isInterlaced ? 1 : 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", header), ...chunks, chunk("IDAT", deflateSync(rows)), chunk("IEND")];
  return Buffer.concat([signature, ...parts]);
}

/** @param length - the declared length. Default: the actual length */
function chunk(name: string, content: Uint8Array = new Uint8Array(0), length = content.length): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(length);
  header.write(name, 4, "latin1");
  return Buffer.concat([header, content, Buffer.alloc(4)]);
}

/** Creates a JPEG that contains only the segments that determine its size. */
function jpegFile({ width, height }: PngFile): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const start = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 6, 0xff, 0xc0, 0xff, 0xc0]);
  return Buffer.concat([start, frame, Buffer.from([0xff, 0xd9])]);
}

const asDataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;

/** Renders a document with these images. Each is 99 points wide, because it may have thousands of pixels. */
async function render(...images: readonly Buffer[]): Promise<Buffer> {
  return Buffer.from(
    await renderPdf({ content: images.map((image) => ({ image: asDataUrl(image), width: 99 })) }),
  );
}

describe("a very large image", () => {
  const limit =
    "in one document, transparent and interlaced PNGs are limited to a total of 9 megapixels (4.5 with 16 bits per channel) and 8 MB";
  const bomb = asDataUrl(pngFile({ width: 8_660, height: 8_660 }));
  const tooLarge = `an image of 8660 × 8660 pixels is too large: ${limit}. Use a smaller image`;

  it.each([
    ["the `content` property", { content: { image: bomb } }],
    ["the `images` property", { images: { logo: bomb }, content: { image: "logo" } }],
    [
      "an SVG",
      { content: { svg: `<svg width="9" height="9"><image href="${bomb}" width="9" height="9"/></svg>` } },
    ],
  ])("is rejected before decompression if it is embedded in %s", async (_place, definition) => {
    await expect(renderPdf(definition)).rejects.toThrow(tooLarge);
  });

  it("is rejected even if its header declares a smaller size", async () => {
    const image = pngFile({ width: 10, height: 10, rows: new Uint8Array(1_000_000) });
    await expect(render(image)).rejects.toThrow("its pixel data is too long");
  });

  it("counts toward the total size limit for the document's images", () => {
    const part = (height: number) =>
      readPng(pngFile({ width: 3_000, height, rows: new Uint8Array(height * 12_001) }));
    const [half, rest] = [part(1_500), part(1_499)];
    const [budget, other] = [new PictureBudget(), new PictureBudget()];
    budget.spend(half);
    budget.spend(rest);
    other.spend(half);
    expect(() => other.spend(half)).toThrow("an image of 3000 × 1500 pixels is too large");
  });

  it("is rejected if its compressed data exceeds 8 MB", async () => {
    const header = pngFile({ width: 100, height: 100 }).subarray(0, 33);
    const image = Buffer.concat([header, chunk("IDAT", Buffer.alloc(8_500_000, 1)), chunk("IEND")]);
    await expect(render(image)).rejects.toThrow("an image of 100 × 100 pixels is too large");
  });

  it.each([
    ["a PNG", pngFile],
    ["a JPEG", jpegFile],
  ])("is rejected if it has more than 100 megapixels: %s", async (_kind, create) => {
    await render(create({ width: 10_000, height: 10_000, type: 2 }));
    const problem = "an image of 10000 × 10001 pixels is too large: the limit is 100 megapixels.";
    await expect(render(create({ width: 10_000, height: 10_001, type: 2 }))).rejects.toThrow(problem);
  });
});

describe("a damaged PNG", () => {
  const tiny = { width: 1, height: 1 };
  const header = pngFile(tiny).subarray(0, 33);
  const pngOf = (...parts: Buffer[]) => Buffer.concat([header, ...parts]);
  const end = chunk("IEND");

  it.each<[string, Buffer]>([
    ["pixel data with a declared length of 2 GB", pngOf(chunk("IDAT", undefined, 2 ** 31 - 1))],
    ["a chunk with a negative length", pngOf(chunk("eXIf", undefined, 2 ** 32 - 16), end)],
    ["a palette of 1 MB", pngFile({ ...tiny, chunks: [chunk("PLTE", Buffer.alloc(1_048_576))] })],
    ["two headers", pngFile({ ...tiny, chunks: [header.subarray(8)] })],
    ["no header", Buffer.concat([header.subarray(0, 8), end])],
    ["no end chunk", header],
    ["a bit depth of 255", pngFile({ ...tiny, bits: 255 })],
    ["a width of 0", pngFile({ width: 0, height: 1 })],
    ["uncompressed pixel data", pngOf(chunk("IDAT", Buffer.alloc(99)), end)],
  ])("is rejected if it has %s", async (_damage, bytes) => {
    await expect(render(bytes)).rejects.toThrow(/a PNG is damaged: .* Save it again/);
  });
});

describe("an embedded PNG", () => {
  const rows = Buffer.from([0, 10, 20, 30, 40, 50, 60, 70, 80, 0, 11, 21, 31, 41, 51, 61, 71, 81]);
  const chunks = [chunk("tEXt", Buffer.alloc(300_000, "a"))];

  it.each<[string, PngFile, ...bytes: readonly (readonly number[])[]]>([
    [
      "its pixel data unchanged if the PNG has no transparency",
      { width: 8, height: 2, type: 0, rows, chunks },
      [...rows],
    ],
    [
      "its colors and transparency",
      { width: 2, height: 2, rows, chunks },
      [10, 20, 30, 50, 60, 70, 11, 21, 31, 51, 61, 71],
      [40, 80, 41, 81],
    ],
    // An interlaced image of one pixel has only the first pass.
    [
      "its pixel data if the PNG is interlaced",
      { width: 1, height: 1, type: 2, isInterlaced: true, rows: Buffer.from([0, 1, 2, 3]) },
      [1, 2, 3],
    ],
  ])("keeps %s", async (_what, png, ...expected) => {
    const pdf = await render(pngFile(png));
    for (const bytes of expected) expect(pdf.includes(deflateSync(Buffer.from(bytes)))).toBe(true);
  });
});
