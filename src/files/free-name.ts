import { readForeignText } from "../errors/foreign-values.ts";
import { fileSystem, privateMode, renamePatiently } from "./file-system.ts";

/** The maximum number of files with the same name. */
const maxNumber = 9_999;

/**
 * Gives a complete file the first free name in its folder: `invoice.pdf`, `invoice-2.pdf`. Never replaces a file.
 *
 * @param draft - the path of the file
 * @param stem - the name without its extension
 * @returns the new path
 * @throws {Error} if no name is free, or the file cannot be moved. The draft remains
 */
export async function moveToFreeName(draft: string, stem: string, extension: string): Promise<string> {
  const { open, close, rename, unlink, path } = fileSystem();
  const folder = path.dirname(draft);
  for (let number = 1; number <= maxNumber; number++) {
    const target = path.join(folder, `${stem}${number === 1 ? "" : `-${number}`}${extension}`);
    try {
      // Another process may want the same name. The system creates a file for only one of them.
      await close(await open(target, "wx", privateMode));
    } catch (error) {
      if (readForeignText(error, "code") === "EEXIST") continue;
      throw error;
    }
    try {
      await renamePatiently(() => rename(draft, target));
      return target;
    } catch (error) {
      await unlink(target).catch(() => {});
      throw error;
    }
  }
  throw new Error(`${folder} already contains ${maxNumber} documents of this template. Move some of them.`);
}
