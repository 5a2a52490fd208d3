import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder, with those above it that are missing.
 *
 * @returns the first one that was missing, if any
 * @throws the system's own error
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true });
  } catch (error) {
    // Of some errors Node tells only that the folder is not there afterwards: of a file system that is read-only, for one.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") await makeFirstMissing(path);
    throw error;
  }
}

async function makeFirstMissing(path: string): Promise<void> {
  await mkdir(path).catch((error) => {
    const isFirst = error.code !== "ENOENT" || dirname(path) === path;
    if (isFirst) throw error;
    return makeFirstMissing(dirname(path));
  });
}
