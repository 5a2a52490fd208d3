import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { FontFiles } from "pdfmake";
import { reasonOf } from "../template-folder.ts";
import { TemplateMistake } from "./template-mistake.ts";

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

/** The pictures of one folder; the only files that a document can show. */
export class Pictures {
  readonly #folder: string | undefined;

  /**
   * @param folder - an absolute path, or `undefined` where none was named
   * @throws {Error} when the folder cannot be read.
   */
  constructor(folder: string | undefined) {
    if (folder !== undefined) filesOf(folder, "images");
    this.#folder = folder && realpathSync(folder);
  }

  /**
   * Reads one picture.
   *
   * @param name - its path below the folder
   * @throws {Error} when no folder was named, or it holds no such file; a link that leads out of it counts as none.
   */
  read(name: string): Buffer {
    const folder = this.#folder;
    if (folder === undefined) {
      throw new TemplateMistake(
        "A template shows the picture of a file, and no folder of images was named. Name one (`images`), or use a data: URL.",
      );
    }
    try {
      const path = realpathSync(resolve(folder, name));
      if (path.startsWith(folder + sep)) return readFileSync(path);
    } catch {
      // Whether such a file lies elsewhere is nobody's business.
    }
    throw new TemplateMistake(
      `The folder of images ${folder} holds no file of the name that a template asks for.`,
    );
  }
}

function filesOf(folder: string, what: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    throw new Error(
      `The folder of ${what} ${folder} ${reasonOf(cause as NodeJS.ErrnoException)}. Name another one.`,
      { cause },
    );
  }
}
