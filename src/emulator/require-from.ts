import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { requireFileSync } from "../files/small-file.ts";
import { PathRefusal } from "../files/system-errors.ts";

/**
 * Returns a `require` that searches for packages like a file of the user.
 *
 * @param path - the path of the file, which need not exist
 * @throws {Error} if a `package.json` in its folder or a parent folder is not a file. Node would wait for a pipe
 */
export function requireFrom(path: string): NodeJS.Require {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    checkManifest(join(folder, "package.json"));
    if (folder === dirname(folder)) return createRequire(path);
  }
}

function checkManifest(path: string): void {
  try {
    requireFileSync(path);
  } catch (error) {
    if (error instanceof PathRefusal) throw new Error(`Could not read ${path}: ${error.message}.`);
    // Most folders have none.
  }
}
