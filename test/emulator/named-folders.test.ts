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
const attached = `export default ({ name }) => ({ content: "a", files: { f: { src: name, name: "f" } } });`;

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
        /holds no file of the name that a template asks for|Access to URL denied/,
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
        "no folder of images was named. Name one (`images`)",
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

  it("cannot be attached as files, and no other file can", async () => {
    const images = await imageFolder();
    const emulator = await emulate({ "attached.mjs": attached }, { images, onError() {} });
    for (const name of ["logo.png", join(images, "logo.png"), "package.json"]) {
      expect((await generate(emulator, "attached", { name })).status, name).toBe(500);
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

  it("that are missing in a style are told", async () => {
    const onError = vi.fn();
    const letter = JSON.stringify({ content: { font: "My Font", bold: true, text: "bold" } });
    const fonts = await fontFolder("My Font-Regular.ttf");
    const emulator = await emulate({ "letter.json": letter }, { fonts, onError });
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(String(onError.mock.lastCall?.[0])).toContain("there is no font My Font in the style bold. Name");
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
