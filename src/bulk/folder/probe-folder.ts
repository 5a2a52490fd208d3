import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { draftEnding } from "../../files/filenames.ts";

/**
 * Finds out whether a file can be made in a folder, by making one.
 *
 * @param mark - what its name begins with, behind a dot, should it be left behind
 * @throws the system's own error
 */
export async function probeFolder(folder: string, mark: string): Promise<void> {
  const path = join(folder, `.${mark}${crypto.randomUUID()}${draftEnding}`);
  await (await open(path, "wx")).close();
  await unlink(path);
}
