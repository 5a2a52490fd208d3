import { readForeign } from "../errors/foreign-values.ts";
import { fileSystem, ignoreMissing } from "./file-system.ts";
import { objectionOfWindows } from "./filenames.ts";
import { checkReplaceable } from "./sticky-folder.ts";
import { isFolder, PathRefusal } from "./system-errors.ts";

/** The target of a file after all links are followed, and what exists there. */
export interface FileTarget {
  readonly path: string;
  readonly folder: string;
  /** The mode of the existing file; `undefined` if none exists. */
  readonly mode: number | undefined;
  /** Whether it is a device or a pipe, which is written to directly, because a rename would destroy it. */
  readonly isDirect: boolean;
}

/** The part of `node:path` that makes a path absolute. Browser projects have no types of Node. */
interface PathRules {
  readonly sep: string;
  isAbsolute(path: string): boolean;
  parse(path: string): { readonly root: string };
  resolve(...paths: string[]): string;
  dirname(path: string): string;
  basename(path: string): string;
}

/**
 * Makes a path absolute and keeps its last part: trailing separators and dots, which are not file names, are refused later.
 *
 * @param folder - the working directory
 * @param path - `node:path` of the system that the path is for
 */
export function absolutePath(text: string, folder: string, path: PathRules = fileSystem().path): string {
  if (path.sep === "/") {
    // Joined without normalizing, because removing a `..` after a link would change the path.
    return path.isAbsolute(text) ? text : folder + path.sep + text;
  }
  // On Windows a `..` never follows a link, `\a` belongs to the current drive, and `C:a` starts at that drive's own working
  // directory.
  const isRoot = path.parse(text).root === text;
  const parent = path.resolve(folder, isRoot ? text : path.dirname(text));
  // Node treats the last part of a share's root as a file in it.
  const name = isRoot ? "" : path.basename(text) + (/[\\/]$/.test(text) ? path.sep : "");
  return parent.endsWith(path.sep) ? parent + name : parent + path.sep + name;
}

/**
 * Follows the links of an absolute path and inspects the target. It resolves folder by folder, like the system, because `..`
 * after a link refers to the folder that the link points to.
 *
 * @throws {PathRefusal} if the path cannot be a file
 * @throws the system error if the path is refused or the file is not writable
 */
export async function followLinks(absolute: string): Promise<FileTarget> {
  const { lstat, readlink, realpath, stat, path } = fileSystem();
  if (absolute.endsWith("/") || absolute.endsWith(path.sep)) throw new PathRefusal(isFolder);
  const parent = path.dirname(absolute);
  const folder = await realpath(parent).catch(async (error) => {
    if (readForeign(error, "code") === "ENOENT") await refuseDanglingLink(parent);
    throw error;
  });
  const name = path.basename(absolute);
  const found = path.join(folder, name);
  let existing = await lstat(found).catch(ignoreMissing);
  if (existing?.isDirectory()) throw new PathRefusal(isFolder);
  const objection = process.platform === "win32" ? objectionOfWindows(name) : undefined;
  if (objection !== undefined) throw new PathRefusal(objection);
  if (existing?.isSymbolicLink()) {
    // Fails if the links form a loop.
    existing = await stat(found).catch(ignoreMissing);
    if (!existing || existing.isFile() || existing.isDirectory()) {
      const link = await readlink(found);
      return followLinks(absolutePath(link, folder)).catch((error) => {
        if (readForeign(error, "code") !== "ENOENT") throw error;
        throw new PathRefusal(
          `it is a link to ${JSON.stringify(link)}, and that file's folder does not exist`,
        );
      });
    }
    // A link such as /dev/stdout may point to a pipe, which has no path.
  }
  const isDirect = existing !== undefined && !existing.isFile();
  // Whether the folder is writable shows when a file is created in it.
  if (existing && !isDirect) {
    await checkWritable(found);
    await checkReplaceable(existing, folder);
  }
  return { path: found, folder, mode: existing?.mode, isDirect };
}

/** @throws {PathRefusal} if a missing path leads through a link to something that does not exist */
export async function refuseDanglingLink(missing: string): Promise<void> {
  const { lstat, readlink, stat, path } = fileSystem();
  let at = missing;
  let found = await lstat(at).catch(ignoreMissing);
  while (!found && path.dirname(at) !== at) {
    at = path.dirname(at);
    found = await lstat(at).catch(ignoreMissing);
  }
  if (!found?.isSymbolicLink() || (await stat(at).catch(ignoreMissing))) return;
  const target = JSON.stringify(await readlink(at));
  throw new PathRefusal(`${JSON.stringify(at)} is a link to ${target}, which does not exist`);
}

/** Opens a file, because `access` in Deno ends a program that lacks the permission to read its user id. */
async function checkWritable(path: string): Promise<void> {
  const { open, close, constants } = fileSystem();
  // Another process may have put a pipe there, for which a normal open would wait.
  await close(await open(path, constants.O_WRONLY | constants.O_NONBLOCK));
}
