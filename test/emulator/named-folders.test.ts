import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { emulate, generate, textOf } from "./emulated.ts";
import { templateFolder, writeFiles } from "./template-folder.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const picture = '{"content":[{"image":"{{name}}","width":100}]}';
const listed = 'export default ({ name }) => ({ images: { logo: name }, content: [{ image: "logo" }] });';
const inSvg = (attribute: string) => `export default ({ name }) => ({ content: [{ svg:
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">' +
  '<image ${attribute}="' + name + '" width="9" height="9"/></svg>' }] });`;
const files = {
  "picture.json": picture,
  "listed.mjs": listed,
  "svg.mjs": inSvg("href"),
  "old-svg.mjs": inSvg("xlink:href"),
};

async function imageFolder(): Promise<string> {
  const folder = await templateFolder({});
  await writeFiles(folder, { "secret.png": png, "images/logo.png": png, "images/sub/seal.png": png });
  await symlink(join(folder, "secret.png"), join(folder, "images", "link.png"));
  return join(folder, "images");
}

describe("pictures", () => {
  it.each(["picture", "listed", "svg", "old-svg"])("of a named folder can be shown by %s", async (uid) => {
    const emulator = await emulate(files, { images: await imageFolder() });
    for (const name of ["logo.png", "sub/seal.png", "./logo.png"]) {
      expect((await generate(emulator, uid, { name })).status).toBe(200);
    }
  });

  it.each(["picture", "listed", "svg", "old-svg"])("of no other place can be shown by %s", async (uid) => {
    const printed = vi.spyOn(process.stderr, "write");
    const onError = vi.fn();
    const images = await imageFolder();
    const emulator = await emulate(files, { images, onError });
    const secret = join(images, "..", "secret.png");
    const names = [
      "../secret.png",
      secret,
      "link.png",
      "none.png",
      pathToFileURL(secret).href,
      "http://127.0.0.1:9/",
    ];
    for (const name of names) {
      expect((await generate(emulator, uid, { name })).status, name).toBe(500);
      expect(String(onError.mock.lastCall?.[0])).toMatch(
        /holds no file of this name|can fetch no URL|Access to URL denied/,
      );
      expect(String(onError.mock.lastCall?.[0])).not.toContain("secret");
    }
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it("need a named folder", async () => {
    const onError = vi.fn();
    const emulator = await emulate(files, { onError });
    for (const uid of ["picture", "listed", "svg"]) {
      expect((await generate(emulator, uid, { name: "logo.png" })).status).toBe(500);
      expect(String(onError.mock.lastCall?.[0])).toContain(
        "no folder of images was named; name one (`images`)",
      );
    }
  });

  it("that are none are told", async () => {
    const onError = vi.fn();
    const emulator = await emulate(files, { onError });
    for (const uid of ["picture", "svg"]) {
      const name = `data:image/png;base64,${Buffer.from("no picture").toString("base64")}`;
      expect((await generate(emulator, uid, { name })).status).toBe(500);
      expect(String(onError.mock.lastCall?.[0])).toMatch(/: Unknown .* format/);
    }
  });

  it("are embedded once, however often they are shown", async () => {
    const images = await imageFolder();
    const shown = (times: number) => JSON.stringify({ content: Array(times).fill({ image: "logo.png" }) });
    const emulator = await emulate({ "once.json": shown(1), "often.json": shown(50) }, { images });
    const countOf = async (uid: string) => {
      const text = Buffer.from(await (await generate(emulator, uid)).arrayBuffer()).toString("latin1");
      return text.split("/Subtype /Image").length - 1;
    };
    expect(await countOf("once")).toBeGreaterThan(0);
    expect(await countOf("often")).toBe(await countOf("once"));
  });
});

describe("a document can take no other file of the machine", () => {
  /** A folder with a secret picture, and the ways to ask for it. */
  async function secrets(): Promise<{ readonly images: string; readonly ways: readonly unknown[] }> {
    const images = await imageFolder();
    const path = join(images, "..", "secret.png");
    const url = pathToFileURL(path);
    const asUrl = { href: url.href, protocol: "file:", hostname: "", pathname: url.pathname };
    return {
      images,
      ways: [path, url.href, asUrl, 25, `data:/../..${path}`, "../secret.png", { type: "Buffer", data: [1] }],
    };
  }

  const forms = {
    picture: (source: unknown) => ({ content: [{ image: source }] }),
    "listed picture": (source: unknown) => ({ images: { logo: source }, content: [{ image: "logo" }] }),
    "attached file": (source: unknown) => ({ content: "a", files: { f: { src: source, name: "f" } } }),
    attachment: (source: unknown) => ({
      attachments: { f: { src: source } },
      content: [{ attachment: "f" }],
    }),
    "attachment in place": (source: unknown) => ({ content: [{ attachment: { src: source } }] }),
    "file behind a picture": (source: unknown) => ({
      content: [{ image: "logo.png", linkToFile: { src: source } }],
    }),
  };

  it.each(Object.entries(forms))("as %s", async (_form, definitionOf) => {
    const { images, ways } = await secrets();
    const onError = vi.fn();
    const definitions = ways.map((way, index) => [`way-${index}.json`, JSON.stringify(definitionOf(way))]);
    const own = `data:image/png;base64,${png.toString("base64")}`;
    const emulator = await emulate(
      { ...Object.fromEntries(definitions), "own.json": JSON.stringify(definitionOf(own)) },
      { images, onError },
    );
    expect((await generate(emulator, "own")).status).toBe(200);
    for (const [index, way] of ways.entries()) {
      expect((await generate(emulator, `way-${index}`)).status, JSON.stringify(way)).toBe(500);
      // Of what is no text, pdfmake refuses some things before it comes to that.
      if (typeof way !== "string") continue;
      expect(String(onError.mock.lastCall?.[0])).toMatch(
        /holds no file|fetch no URL|attaches a file|Access to local file denied/,
      );
    }
  });
});

describe("fonts", () => {
  const roboto = fileURLToPath(new URL("../../node_modules/pdfmake/fonts/Roboto", import.meta.url));

  async function fontFolder(...names: string[]): Promise<string> {
    const folder = await templateFolder({ "README.txt": "" });
    const font = await readFile(join(roboto, "Roboto-Regular.ttf"));
    await writeFiles(folder, Object.fromEntries(names.map((name) => [name, font])));
    return folder;
  }

  it("of a named folder can be used by family and style, beside Roboto", async () => {
    const fonts = await fontFolder("My Font-Regular.ttf", "My Font-BoldItalic.TTF", "Thin-Light.ttf");
    const emulator = await emulate(
      {
        "letter.json": JSON.stringify({
          content: [
            "Roboto",
            { font: "My Font", text: "regular" },
            { font: "My Font", bold: true, italics: true, text: "both" },
            { font: "Thin-Light", text: "light" },
          ],
        }),
      },
      { fonts },
    );
    expect(await textOf(emulator, "letter")).toMatch(/Roboto.*regular.*both.*light/);
  });

  it("that are added later are found at once", async () => {
    const letter = JSON.stringify({ content: { font: "Later", text: "later" } });
    const fonts = await fontFolder("My Font-Regular.ttf");
    const emulator = await emulate({ "letter.json": letter }, { fonts, onError() {} });
    expect(await textOf(emulator, "letter")).toBe(500);
    await writeFiles(fonts, { "Later-Regular.ttf": await readFile(join(roboto, "Roboto-Regular.ttf")) });
    expect(await textOf(emulator, "letter")).toContain("later");
  });

  it("that are missing in a style are told", async () => {
    const onError = vi.fn();
    const letter = JSON.stringify({ content: { font: "My Font", bold: true, text: "bold" } });
    const fonts = await fontFolder("My Font-Regular.ttf");
    const emulator = await emulate({ "letter.json": letter }, { fonts, onError });
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(String(onError.mock.lastCall?.[0])).toContain(
      "there is no file for a font; the folder of fonts (`fonts`) is to hold it (My Font-Bold.ttf)",
    );
  });

  it("need a folder that holds some", async () => {
    const letter = { "letter.json": '{"content":"a"}' };
    await expect(emulate(letter, { fonts: await fontFolder() })).rejects.toThrow(/holds no \.ttf/);
    await expect(emulate(letter, { fonts: "/nowhere/fonts" })).rejects.toThrow(
      "The folder of fonts /nowhere/fonts does not exist. Name another one.",
    );
    await expect(emulate(letter, { images: "/nowhere/images" })).rejects.toThrow(
      "The folder of images /nowhere/images does not exist. Name another one.",
    );
  });
});
