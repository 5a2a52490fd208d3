import { readFileSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { filesOf } from "./named-folder.ts";
import { TemplateMistake } from "./template-mistake.ts";

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
    if (/^https?:/i.test(name)) {
      throw new TemplateMistake("a document can fetch no URL; use a file, or a data: URL", name);
    }
    const folder = this.#folder;
    if (folder === undefined) {
      throw new TemplateMistake(
        "it shows the picture of a file, and no folder of images was named; name one (`images`), or use a data: URL",
        name,
      );
    }
    try {
      const path = realpathSync(resolve(folder, name));
      if (path.startsWith(folder + sep)) return readFileSync(path);
    } catch {
      // Whether such a file lies elsewhere is nobody's business.
    }
    throw new TemplateMistake(`the folder of images ${folder} holds no file of this name`, name);
  }
}
