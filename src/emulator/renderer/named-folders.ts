import { readdirSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { FontFiles } from "pdfmake";
import { describeFolderError } from "../template-folder.ts";
import { TemplateMistake } from "./template.ts";
import { readUserFile } from "./user-file.ts";

export type ReadPicture = (name: string) => Buffer;

/** Opens the image folder. A document can show only the files in it. Links that lead out of it are ignored. */
export function openPictures(folder: string | undefined): ReadPicture {
  if (folder !== undefined) filesOf(folder, "image");
  const root = folder && realpathSync(folder);
  return (name) => {
    if (/^https?:/i.test(name)) {
      throw new TemplateMistake("a document cannot fetch URLs; use a file or a data: URL", name);
    }
    if (root === undefined) {
      throw new TemplateMistake(
        "it uses an image file, but no image folder is set; set `images`, or use a data: URL",
        name,
      );
    }
    try {
      const path = realpathSync(resolve(root, name));
      if (path.startsWith(root + sep)) return readUserFile(path, name);
    } catch (error) {
      if (error instanceof TemplateMistake) throw error;
      // The existence of files elsewhere is not revealed.
    }
    throw new TemplateMistake(`the image folder ${root} does not contain this file`, name);
  };
}

/** The suffix in file names for each style of pdfmake. */
export const fileStyles: Readonly<Record<string, string>> = {
  normal: "Regular",
  bold: "Bold",
  italics: "Italic",
  bolditalics: "BoldItalic",
};
const styles = new Map(Object.entries(fileStyles).map(([style, name]) => [name.toLowerCase(), style]));

/**
 * Reads the fonts in a folder: `Inter-Bold.ttf` is the font `Inter` in bold. `Inter-Light.ttf`, a style that pdfmake does not
 * have, is the font `Inter-Light`. Subfolders are ignored.
 */
export function readFonts(folder: string): FontFiles {
  const fonts = new Map<string, FontFiles[string]>();
  for (const file of filesOf(folder, "font")) {
    const [, stem] = /^([^.].*)\.(?:ttf|otf|woff2?)$/i.exec(file) ?? [];
    if (stem === undefined) continue;
    const [, family = stem, style = "regular"] = /^(.+)-(regular|bold|italic|bolditalic)$/i.exec(stem) ?? [];
    const name = styles.get(style.toLowerCase()) ?? "normal";
    fonts.set(family, { ...fonts.get(family), [name]: join(folder, file) });
  }
  if (fonts.size === 0) {
    throw new Error(
      `The font folder ${folder} contains no .ttf, .otf, .woff or .woff2 files. Use another folder.`,
    );
  }
  return Object.fromEntries(fonts);
}

function filesOf(folder: string, what: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    const problem = describeFolderError(cause as NodeJS.ErrnoException);
    throw new Error(`The ${what} folder ${folder} ${problem}. Use another folder.`, { cause });
  }
}
