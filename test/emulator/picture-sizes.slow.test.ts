import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { generate, shareEmulator } from "./emulated.ts";
import { chunk, jpegFile, type PngFile, pngFile } from "./png-files.ts";
import { writeFiles } from "./template-folder.ts";

const megabyte = 1_048_576;

const shared = shareEmulator(
  {
    "fixed.json": '{"content":[{"image":"bomb.png"}]}',
    "show.mjs": "export default ({ names }) => ({ content: names.map((image) => ({ image, width: 99 })) });",
    "listed.mjs":
      "export default ({ names: [logo] }) => ({ images: { logo }, content: [{ image: 'logo' }] });",
    "svg.mjs": `export default ({ names: [name] }) => ({ content: [{ svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="' + name + '" width="9" height="9"/></svg>' }] });`,
    "../images/.keep": "",
  },
  (folder) => ({ images: join(folder, "images") }),
);

/** Writes images to the image folder. Returns a function that renders them to a PDF or to the message of an error. */
async function rendererFor(images: Readonly<Record<string, Buffer>>) {
  await writeFiles(join(shared.folder, "images"), images);
  return async (uid: string, ...names: string[]): Promise<Buffer | string> => {
    const response = await generate(shared, uid, { names });
    const bytes = Buffer.from(await response.arrayBuffer());
    return response.status === 200 ? bytes : String(shared.errors.at(-1)?.message);
  };
}

/** Measures the peak growth of the memory of the process from now on. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  onTestFinished(() => clearInterval(timer));
  return () => Math.max(peak, process.memoryUsage.rss()) - before;
}

function holds(pdf: Buffer | string, bytes: Buffer): boolean {
  return Buffer.isBuffer(pdf) && pdf.includes(bytes);
}

const asDataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;

describe("an image of 300 kB that decompresses to 300 MB", () => {
  const side = 8_660;
  const bomb = pngFile({ width: side, height: side, rows: new Uint8Array(side * (1 + 4 * side)) });

  it("is rejected before it takes memory, however a document embeds it", async () => {
    expect(bomb.length).toBeLessThan(400_000);
    const show = await rendererFor({ "bomb.png": bomb });
    await show("show");
    const grown = watchMemory();
    const limit =
      "transparent and interlaced PNGs in one document are limited to 9 megapixels (4.5 with 16 bits per channel) and 8 MB together";
    for (const uid of ["show", "listed", "svg"]) {
      for (const name of ["bomb.png", asDataUrl(bomb)]) {
        const error = await show(uid, name);
        expect(error).toContain(`an image of 8660 × 8660 pixels is too large: ${limit}. Use a smaller one`);
      }
    }
    expect(await show("fixed")).toMatch(/ Use a smaller one \(bomb\.png\)$/);
    expect(await show("show", asDataUrl(bomb))).toMatch(/ Use a smaller one$/);
    // Without the limit, it took 1.2 GB.
    expect(grown()).toBeLessThan(150 * megabyte);
  });

  it("is rejected even if it declares a smaller size", async () => {
    const small = pngFile({ width: 10, height: 10, rows: new Uint8Array(300 * megabyte) });
    const show = await rendererFor({ "small.png": small });
    await show("show");
    const grown = watchMemory();
    expect(await show("show", "small.png")).toContain("its pixel data is too long");
    expect(grown()).toBeLessThan(150 * megabyte);
  });
});

describe("images that must be decompressed", () => {
  it("are limited to 9 megapixels per document", async () => {
    const part = (height: number) => pngFile({ width: 3_000, height, rows: new Uint8Array(height * 12_001) });
    const show = await rendererFor({ "a.png": part(1_500), "b.png": part(1_499), "c.png": part(1_500) });
    const grown = watchMemory();
    expect(await show("show", "a.png", "b.png", "a.png")).toBeInstanceOf(Buffer);
    expect(grown()).toBeLessThan(300 * megabyte);
    expect(await show("show", "a.png", "c.png")).toContain("an image of 3000 × 1500 pixels is too large");
    // Each document has its own limit.
    expect(await show("show", "c.png")).toBeInstanceOf(Buffer);
  });

  it("are limited to half as many pixels with 16 bits per channel", async () => {
    const part = (height: number): PngFile => ({ width: 3_000, height, bits: 16 });
    const show = await rendererFor({
      "a.png": pngFile({ ...part(1_499), rows: new Uint8Array(1_499 * 24_001) }),
      "b.png": pngFile(part(1_501)),
    });
    expect(await show("show", "a.png")).toBeInstanceOf(Buffer);
    expect(await show("show", "b.png")).toContain("(4.5 with 16 bits per channel)");
  });

  it("are limited to 8 MB of files per document", async () => {
    const packed = chunk("IDAT", Buffer.alloc(8_500_000, 1));
    const head = pngFile({ width: 100, height: 100 }).subarray(0, 33);
    const show = await rendererFor({ "a.png": Buffer.concat([head, packed, chunk("IEND")]) });
    expect(await show("show", "a.png")).toContain("an image of 100 × 100 pixels is too large");
  });
});

describe("an image", () => {
  it.each([
    ["a PNG", (height: number) => pngFile({ width: 10_000, height, type: 2 })],
    ["a JPEG", (height: number) => jpegFile(10_000, height)],
  ])("is limited to 100 megapixels: %s", async (_kind, create) => {
    const show = await rendererFor({ "a.png": create(10_000), "b.png": create(10_001) });
    expect(await show("show", "a.png")).toBeInstanceOf(Buffer);
    const problem = "an image of 10000 × 10001 pixels is too large: the limit is 100 megapixels.";
    expect(await show("show", "b.png")).toContain(problem);
  });
});

describe("a damaged PNG", () => {
  const tiny = { width: 1, height: 1 };
  const header = pngFile(tiny).subarray(0, 33);
  const pngOf = (...parts: Buffer[]) => Buffer.concat([header, ...parts]);
  const end = chunk("IEND");
  const palette = chunk("PLTE", Buffer.alloc(megabyte));

  it.each<[string, Buffer]>([
    ["pixel data that claims 2 GB beyond the end of the file", pngOf(chunk("IDAT", undefined, 2 ** 31 - 1))],
    ["a chunk with a negative length", pngOf(chunk("eXIf", undefined, 2 ** 32 - 16), end)],
    ["a transparency chunk of 2 GB", pngOf(chunk("tRNS", undefined, 2 ** 31 - 1))],
    ["a palette of 1 MB", pngFile({ ...tiny, chunks: [palette] })],
    ["two headers", pngFile({ ...tiny, chunks: [header.subarray(8)] })],
    ["no header", Buffer.concat([header.subarray(0, 8), end])],
    ["no end chunk", header],
    ["a depth of 255 bits", pngFile({ ...tiny, bits: 255 })],
    ["an unknown colour type", pngFile({ ...tiny, type: 5 })],
    ["a width of 0", pngFile({ width: 0, height: 1 })],
    ["pixel data that is not compressed", pngOf(chunk("IDAT", Buffer.alloc(99)), end)],
    ["truncated pixel data", pngOf(chunk("IDAT", deflateSync("abc").subarray(0, 6)), end)],
  ])("is rejected and does not affect the next document: %s", async (_damage, bytes) => {
    const show = await rendererFor({ "a.png": bytes });
    const grown = watchMemory();
    expect(await show("show", "a.png")).toMatch(/a PNG is damaged: .* Save it again/);
    expect(await show("show")).toBeInstanceOf(Buffer);
    expect(grown()).toBeLessThan(150 * megabyte);
  });
});

describe("an embedded PNG", () => {
  const rows = Buffer.from([0, 10, 20, 30, 40, 50, 60, 70, 80, 0, 11, 21, 31, 41, 51, 61, 71, 81]);
  const text = chunk("tEXt", Buffer.alloc(300_000, "a"));

  it("keeps its pixel data unchanged if it has no transparency", async () => {
    const png = pngFile({ width: 8, height: 2, type: 0, rows, chunks: [text] });
    const show = await rendererFor({ "a.png": png });
    expect(holds(await show("show", "a.png"), deflateSync(rows))).toBe(true);
    expect(holds(await show("show", asDataUrl(png)), deflateSync(rows))).toBe(true);
  });

  it("keeps its colours and its transparency", async () => {
    const show = await rendererFor({ "a.png": pngFile({ width: 2, height: 2, rows, chunks: [text] }) });
    const pdf = await show("show", "a.png");
    const colours = Buffer.from([10, 20, 30, 50, 60, 70, 11, 21, 31, 51, 61, 71]);
    expect(holds(pdf, deflateSync(colours))).toBe(true);
    expect(holds(pdf, deflateSync(Buffer.from([40, 80, 41, 81])))).toBe(true);
  });

  it("keeps its palette and the transparency of the palette", async () => {
    const palette = Buffer.from([1, 2, 3, 4, 5, 6]);
    const indices = Buffer.from([0, 0, 1, 0, 1, 0]);
    const chunks = [chunk("PLTE", palette), chunk("tRNS", Buffer.from([7, 8]))];
    const png = pngFile({ width: 2, height: 2, type: 3, rows: indices, chunks });
    const pdf = await (await rendererFor({ "a.png": png }))("show", "a.png");
    expect(holds(pdf, palette) || holds(pdf, deflateSync(palette))).toBe(true);
    expect(holds(pdf, deflateSync(Buffer.from([7, 8, 8, 7])))).toBe(true);
  });

  it("may be interlaced", async () => {
    // An interlaced image of one pixel has only the first pass.
    const rows = Buffer.from([0, 1, 2, 3]);
    const png = pngFile({ width: 1, height: 1, type: 2, isInterlaced: true, rows });
    const pdf = await (await rendererFor({ "a.png": png }))("show", "a.png");
    expect(holds(pdf, deflateSync(Buffer.from([1, 2, 3])))).toBe(true);
  });
});
