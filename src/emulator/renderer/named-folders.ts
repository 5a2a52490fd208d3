import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { FontFiles } from "pdfmake";
import { describeFolderError } from "../template-folder.ts";
import { TemplateMistake } from "./template.ts";

export type ReadPicture = (name: string) => Buffer;

/**
 * Opens the folder of pictures, which are the only files that a document can show. A link that leads out of it counts as none.
 */
export function openPictures(folder: string | undefined): ReadPicture {
  if (folder !== undefined) filesOf(folder, "images");
  const root = folder && realpathSync(folder);
  return (name) => {
    if (/^https?:/i.test(name)) {
      throw new TemplateMistake("a document can fetch no URL; use a file, or a data: URL", name);
    }
    if (root === undefined) {
      throw new TemplateMistake(
        "it shows the picture of a file, and no folder of images was named; name one (`images`), or use a data: URL",
        name,
      );
    }
    try {
      const path = realpathSync(resolve(root, name));
      if (path.startsWith(root + sep)) return readFileSync(path);
    } catch {
      // Whether such a file lies elsewhere is nobody's business.
    }
    throw new TemplateMistake(`the folder of images ${root} holds no file of this name`, name);
  };
}

/** By the style of pdfmake, how the name of a file says it. */
export const fileStyles: Readonly<Record<string, string>> = {
  normal: "Regular",
  bold: "Bold",
  italics: "Italic",
  bolditalics: "BoldItalic",
};
const styles = new Map(Object.entries(fileStyles).map(([style, name]) => [name.toLowerCase(), style]));

/**
 * Reads which fonts a folder holds: `Inter-Bold.ttf` is the font `Inter` in bold, `Inter-Light.ttf`, whose style pdfmake does
 * not have, the font `Inter-Light`. Sub-folders are left alone.
 */
export function readFonts(folder: string): FontFiles {
  const fonts: FontFiles = {};
  for (const file of filesOf(folder, "fonts")) {
    const [, stem] = /^([^.].*)\.(?:ttf|otf|woff2?)$/i.exec(file) ?? [];
    if (stem === undefined) continue;
    const [, family = stem, style = "regular"] = /^(.+)-(regular|bold|italic|bolditalic)$/i.exec(stem) ?? [];
    fonts[family] = { ...fonts[family], [styles.get(style.toLowerCase()) ?? "normal"]: join(folder, file) };
  }
  if (Object.keys(fonts).length === 0) {
    throw new Error(
      `The folder of fonts ${folder} holds no .ttf, .otf, .woff or .woff2 file. Name another one.`,
    );
  }
  return fonts;
}

function filesOf(folder: string, what: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    const problem = describeFolderError(cause as NodeJS.ErrnoException);
    throw new Error(`The folder of ${what} ${folder} ${problem}. Name another one.`, { cause });
  }
}
