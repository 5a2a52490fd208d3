import type { PlatformPath } from "node:path";

/**
 * Makes a path absolute and keeps its last part: a trailing separator or trailing dots name no file, and are refused later.
 *
 * @param path - `node:path` of the system that the path is for
 * @param folder - the working directory
 */
export function absolutePath(text: string, path: PlatformPath, folder: string): string {
  if (path.sep === "/") {
    // Joined without normalizing: removing a `..` that follows a link would lead elsewhere.
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
