import { readdirSync } from "node:fs";
import { describeFolderError } from "../template-folder.ts";

/**
 * Lists what lies in a folder that an option names.
 *
 * @param folder - an absolute path
 * @param what - what it is the folder of, for the message
 * @throws {Error} when it cannot be read.
 */
export function filesOf(folder: string, what: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    throw new Error(
      `The folder of ${what} ${folder} ${describeFolderError(cause as NodeJS.ErrnoException)}. Name another one.`,
      { cause },
    );
  }
}
