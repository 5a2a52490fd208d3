import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { generate, shareEmulator, textOf } from "./emulated.ts";
import { writeFiles } from "./template-folder.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const font = readFileSync(
  fileURLToPath(new URL("../../node_modules/pdfmake/fonts/Roboto/Roboto-Regular.ttf", import.meta.url)),
);

const inSvg = (attribute: string) => `export default ({ name }) => ({ content: [{ svg:
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">' +
  '<image ${attribute}="' + name + '" width="9" height="9"/></svg>' }] });`;
const shown = (times: number) => JSON.stringify({ content: Array(times).fill({ image: "logo.png" }) });
const pictures = {
  "picture.json": '{"content":[{"image":"{{name}}","width":100}]}',
  "listed.mjs": 'export default ({ name }) => ({ images: { logo: name }, content: [{ image: "logo" }] });',
  "svg.mjs": inSvg("href"),
  "old-svg.mjs": inSvg("xlink:href"),
};
const uids = ["picture", "listed", "svg", "old-svg"];

/** A template for each way in which a definition can name a file. The value `source` is the name. */
const namingFiles = {
  "as-picture": "{ content: [{ image: source }] }",
  "as-listed-picture": '{ images: { logo: source }, content: [{ image: "logo" }] }',
  "as-attached-file": '{ content: "a", files: { f: { src: source, name: "f" } } }',
  "as-attachment": '{ attachments: { f: { src: source } }, content: [{ attachment: "f" }] }',
  "as-attachment-in-place": "{ content: [{ attachment: { src: source } }] }",
  "as-link-of-a-picture": '{ content: [{ image: "logo.png", linkToFile: { src: source } }] }',
};

const namingTemplates = Object.fromEntries(
  Object.entries(namingFiles).map(([uid, all]) => [`${uid}.mjs`, `export default ({ source }) => (${all});`]),
);

const shared = shareEmulator(
  {
    ...pictures,
    "once.json": shown(1),
    "often.json": shown(50),
    ...namingTemplates,
    "fonts.json": JSON.stringify({
      content: [
        "Roboto",
        { font: "My Font", text: "regular" },
        { font: "My Font", bold: true, italics: true, text: "both" },
        { font: "Thin-Light", text: "light" },
      ],
    }),
    "later-font.json": JSON.stringify({ content: { font: "Later", text: "later" } }),
    "missing-style.json": JSON.stringify({ content: { font: "My Font", bold: true, text: "bold" } }),
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
  it.each(uids)("in the folder `images` can be shown by the template %s", async (uid) => {
    for (const name of ["logo.png", "sub/seal.png", "./logo.png"]) {
      expect((await generate(shared, uid, { name })).status).toBe(200);
    }
  });

  it.each(uids)("outside the folder `images` cannot be shown by the template %s", async (uid) => {
    const printed = vi.spyOn(process.stderr, "write");
    const names = ["../secret.png", secret(), "link.png", "none.png", pathToFileURL(secret()).href];
    for (const name of [...names, "http://127.0.0.1:9/"]) {
      expect((await generate(shared, uid, { name })).status, name).toBe(500);
      expect(reason()).toMatch(/does not contain this file|cannot fetch URLs|Access to URL denied/);
      expect(reason()).not.toContain("secret");
    }
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it.each(["picture", "svg"])("cause an error if they are damaged: template %s", async (uid) => {
    const name = `data:image/png;base64,${Buffer.from("no picture").toString("base64")}`;
    expect((await generate(shared, uid, { name })).status).toBe(500);
    expect(reason()).toMatch(/: Unknown .* format/);
  });

  it("are embedded once, even if they are shown several times", async () => {
    const countOf = async (uid: string) => {
      const text = Buffer.from(await (await generate(shared, uid)).arrayBuffer()).toString("latin1");
      return text.split("/Subtype /Image").length - 1;
    };
    expect(await countOf("once")).toBeGreaterThan(0);
    expect(await countOf("often")).toBe(await countOf("once"));
  });
});

it.each(Object.keys(namingFiles))("a document cannot read other files of the machine: %s", async (uid) => {
  const url = pathToFileURL(secret());
  const asUrl = { href: url.href, protocol: "file:", hostname: "", pathname: url.pathname };
  const own = `data:image/png;base64,${png.toString("base64")}`;
  expect((await generate(shared, uid, { source: own })).status).toBe(200);
  const others = [asUrl, 25, { type: "Buffer", data: [1] }];
  for (const source of [secret(), url.href, `data:/../..${secret()}`, "../secret.png", ...others]) {
    expect((await generate(shared, uid, { source })).status, JSON.stringify(source)).toBe(500);
    // pdfmake rejects some other values earlier, with messages of its own.
    if (typeof source !== "string") continue;
    expect(reason()).toMatch(
      /does not contain this file|cannot fetch URLs|attaches a file|Access to local file denied/,
    );
  }
});

describe("fonts", () => {
  it("in the folder `fonts` can be used by family and style, in addition to Roboto", async () => {
    expect(await textOf(shared, "fonts")).toMatch(/Roboto.*regular.*both.*light/);
  });

  it("are found even if they are added later", async () => {
    expect(await textOf(shared, "later-font")).toBe(500);
    await writeFiles(join(shared.folder, "fonts"), { "Later-Regular.ttf": font });
    expect(await textOf(shared, "later-font")).toContain("later");
  });

  it("cause an error that names the missing file if they lack a style", async () => {
    expect(await textOf(shared, "missing-style")).toBe(500);
    expect(reason()).toContain("a font has no file; add it to the font folder (`fonts`) (My Font-Bold.ttf)");
  });
});

describe("an image name without the option `images`", () => {
  const bare = shareEmulator(pictures);

  it.each(uids)("causes an error that names the option: template %s", async (uid) => {
    expect((await generate(bare, uid, { name: "logo.png" })).status).toBe(500);
    expect(String(bare.errors.at(-1))).toContain("no image folder is set; set `images`");
  });
});
