import { readForeign } from "../errors/foreign-values.ts";
import { fileSystem, ignoreMissing } from "./file-system.ts";
import { refuseDanglingLink } from "./follow-links.ts";
import { PathRefusal } from "./system-errors.ts";

/**
 * Creates a folder and its missing parents, one after the other. Node's own recursive `mkdir` never ends below /proc, where the
 * system answers that a new folder does not exist.
 *
 * @returns the folders that were created
 * @throws {PathRefusal} if a part of the path is a link to something that does not exist, or the system allows no new folder there
 * @throws the system error
 */
export async function makeFolders(path: string): Promise<string[]> {
  const { stat, path: paths } = fileSystem();
  const created: string[] = [];
  const found = await stat(path).catch(ignoreMissing);
  if (found?.isDirectory()) return created;
  if (!found) {
    await refuseDanglingLink(path);
    const parent = paths.dirname(path);
    // The root of a drive that does not exist is its own parent.
    if (parent !== path) created.push(...(await makeFolders(parent)));
  }
  if (await makeFolder(path)) created.push(path);
  return created;
}

/** Creates a folder in an existing one. Returns `false` if another program has just created it. */
async function makeFolder(path: string): Promise<boolean> {
  const { mkdir, stat, path: paths } = fileSystem();
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const code = readForeign(error, "code");
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return false;
    if (code !== "ENOENT") throw error;
    const parent = JSON.stringify(paths.dirname(path));
    throw new PathRefusal(`the system does not allow a new folder in ${parent}`, { cause: error });
  }
}
