import { join } from "node:path";
import type { FontFiles } from "pdfmake";
import { filesOf } from "./named-folder.ts";

const styles: Readonly<Record<string, string>> = {
  regular: "normal",
  bold: "bold",
  italic: "italics",
  bolditalic: "bolditalics",
};

/**
 * Reads which fonts a folder holds: `Inter-Bold.ttf` is the font `Inter` in bold, `Inter-Light.ttf`, whose style pdfmake does
 * not have, the font `Inter-Light`. Sub-folders are left alone.
 *
 * @param folder - an absolute path
 * @returns the paths of the files, by font and style
 * @throws {Error} when the folder cannot be read, or holds no font.
 */
export function readFonts(folder: string): FontFiles {
  const fonts: FontFiles = {};
  for (const file of filesOf(folder, "fonts")) {
    const [, stem] = /^([^.].*)\.(?:ttf|otf|woff2?)$/i.exec(file) ?? [];
    if (stem === undefined) continue;
    const [, family = stem, style = "regular"] = /^(.+)-(regular|bold|italic|bolditalic)$/i.exec(stem) ?? [];
    fonts[family] = { ...fonts[family], [styles[style.toLowerCase()] ?? "normal"]: join(folder, file) };
  }
  if (Object.keys(fonts).length === 0) {
    throw new Error(
      `The folder of fonts ${folder} holds no .ttf, .otf, .woff or .woff2 file. Name another one.`,
    );
  }
  return fonts;
}
