import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { generate, pixel, shareEmulator, textOf, writeFiles } from "./emulated.ts";

const png = Buffer.from(pixel, "base64");
const roboto = "../../node_modules/pdfmake/fonts/Roboto/Roboto-Regular.ttf";
const font = readFileSync(new URL(roboto, import.meta.url));

const svg = `'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">' +`;

/** A template for each way in which a document can show an image. The value `source` is its name. */
const pictures: Readonly<Record<string, string>> = {
  picture: "{ content: [{ image: source, width: 100 }] }",
  listed: '{ images: { logo: source }, content: [{ image: "logo" }] }',
  svg: `{ content: [{ svg: ${svg} '<image href="' + source + '" width="9" height="9"/></svg>' }] }`,
  "old-svg": `{ content: [{ svg: ${svg} '<image xlink:href="' + source + '" width="9" height="9"/></svg>' }] }`,
};

/** A template for each other way in which a definition can name a file. */
const attachments: Readonly<Record<string, string>> = {
  "attached-file": '{ content: "a", files: { f: { src: source, name: "f" } } }',
  attachment: '{ attachments: { f: { src: source } }, content: [{ attachment: "f" }] }',
  "attachment-in-place": "{ content: [{ attachment: { src: source } }] }",
  "link-of-a-picture": '{ content: [{ image: "logo.png", linkToFile: { src: source } }] }',
};

const shown = (times: number) => JSON.stringify({ content: Array(times).fill({ image: "logo.png" }) });

const shared = shareEmulator(
  {
    ...Object.fromEntries(
      Object.entries({ ...pictures, ...attachments }).map(([uid, definition]) => [
        `${uid}.mjs`,
        `export default ({ source }) => (${definition});`,
      ]),
    ),
    "once.json": shown(1),
    "often.json": shown(50),
    "fonts.json": JSON.stringify({
      content: [
        "Roboto",
        { font: "My Font", text: "regular" },
        { font: "My Font", bold: true, italics: true, text: "both" },
        { font: "Thin-Light", text: "light" },
      ],
    }),
    "later-font.json": JSON.stringify({ content: { font: "Later", bold: true, text: "later" } }),
    "../secret.png": png,
    "../images/logo.png": png,
    "../images/sub/seal.png": png,
    "../fonts/My Font-Regular.ttf": font,
    "../fonts/My Font-BoldItalic.TTF": font,
    "../fonts/Thin-Light.ttf": font,
  },
  (folder) => ({ images: join(folder, "images"), fonts: join(folder, "fonts") }),
);
const reason = () => String(shared.errors.at(-1));
const secret = () => join(shared.folder, "secret.png");
beforeAll(() => symlink(secret(), join(shared.folder, "images", "link.png")));

describe("images", () => {
  it.each(Object.keys(pictures))("can come only from the folder `images`: template `%s`", async (uid) => {
    for (const source of ["logo.png", "sub/seal.png"]) {
      expect((await generate(shared, uid, { source })).status).toBe(200);
    }
    const printed = vi.spyOn(process.stderr, "write");
    const names = ["../secret.png", secret(), "link.png", "none.png", pathToFileURL(secret()).href];
    for (const source of [...names, "http://127.0.0.1:9/"]) {
      expect((await generate(shared, uid, { source })).status, source).toBe(500);
      expect(reason()).toMatch(/does not contain this file|cannot fetch URLs|Access to URL denied/);
      expect(reason()).not.toContain("secret");
    }
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it("are embedded only once even if they are shown several times", async () => {
    const countOf = async (uid: string) => {
      const text = Buffer.from(await (await generate(shared, uid)).arrayBuffer()).toString("latin1");
      return text.split("/Subtype /Image").length - 1;
    };
    expect(await countOf("once")).toBeGreaterThan(0);
    expect(await countOf("often")).toBe(await countOf("once"));
  });
});

const loading = ["picture", "listed", ...Object.keys(attachments)];
const denied = /does not contain this file|cannot fetch URLs|attaches a file|Access to local file denied/;

it.each(loading)("a document cannot read files outside the folder `images`: template `%s`", async (uid) => {
  const url = pathToFileURL(secret());
  const asUrl = { href: url.href, protocol: "file:", hostname: "", pathname: url.pathname };
  expect((await generate(shared, uid, { source: `data:image/png;base64,${pixel}` })).status).toBe(200);
  for (const source of [asUrl, 25, { type: "Buffer", data: [1] }]) {
    // pdfmake rejects some of these values earlier, with messages of its own.
    expect((await generate(shared, uid, { source })).status, JSON.stringify(source)).toBe(500);
  }
  for (const source of [secret(), url.href, `data:/../..${secret()}`, "../secret.png"]) {
    expect((await generate(shared, uid, { source })).status, source).toBe(500);
    expect(reason()).toMatch(denied);
  }
});

it("a document can use fonts from the folder `fonts` by family and style, in addition to Roboto", async () => {
  expect(await textOf(shared, "fonts")).toMatch(/Roboto.*regular.*both.*light/);
});

it("a missing font file causes an error that names the file until the file is added", async () => {
  expect(await textOf(shared, "later-font")).toBe(500);
  expect(reason()).toContain("a font has no file; add it to the font folder (`fonts`) (Later-Bold.ttf)");
  await writeFiles(join(shared.folder, "fonts"), { "Later-Bold.ttf": font });
  expect(await textOf(shared, "later-font")).toContain("later");
});
