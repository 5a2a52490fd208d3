import type { PlatformPath } from "node:path";

/**
 * Makes a path absolute, and leaves its last part as it stands: behind a folder there may be a separator or dots, which are no file.
 *
 * @param path - `node:path`, for the system it is meant for
 * @param folder - the working directory
 */
export function absolutePath(text: string, path: PlatformPath, folder: string): string {
  if (path.sep === "/") {
    // Joined as it stands: to leave out a `..` that follows a link would lead elsewhere.
    return path.isAbsolute(text) ? text : folder + path.sep + text;
  }
  // On Windows a `..` never follows a link, a `\a` belongs to the drive one is on, and each drive has a working directory of its own, which
  // `C:a` begins at.
  const isRoot = path.parse(text).root === text;
  const parent = path.resolve(folder, isRoot ? text : path.dirname(text));
  // Node takes the last part of a share's root for a file in it.
  const name = isRoot ? "" : path.basename(text) + (/[\\/]$/.test(text) ? path.sep : "");
  return parent.endsWith(path.sep) ? parent + name : parent + path.sep + name;
}
