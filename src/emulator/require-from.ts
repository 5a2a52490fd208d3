import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { objectionToReading } from "../files/read-file.ts";

/**
 * Returns a `require` that searches for packages like a file of the user.
 *
 * @param path - the path of the file, which need not exist
 * @throws {Error} if a `package.json` in its folder or a parent folder is not a file. Node would wait for a pipe
 */
export function requireFrom(path: string): NodeJS.Require {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    const objection = objectionToReading(manifest);
    if (objection !== undefined) throw new Error(`Could not read ${manifest}: ${objection}.`);
    if (folder === dirname(folder)) return createRequire(path);
  }
}
