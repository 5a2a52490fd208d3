import { realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { objectionToReading, readSmallFileSync } from "../../files/read-file.ts";
import { PathRefusal } from "../../files/system-errors.ts";
import { TemplateMistake } from "./template.ts";

/** The folder of this package. */
const own = dirname(dirname(dirname(createRequire(import.meta.url).resolve("#renderer")))) + sep;

/** Whether a file belongs to the user, not to a package. */
export function isOfUser(path: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(path) && !path.startsWith(own);
}

/** Returns the path of a module if it belongs to the user. */
export function userPathOf(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const [withoutQuery = url] = url.split(/[?#]/, 1);
  const path = fileURLToPath(withoutQuery);
  return isOfUser(path) ? path : undefined;
}

/** The maximum size of a JSON template, an image or a font in bytes. */
export const maxUserFileBytes = 64 * 1024 * 1024;

/**
 * Reads a template, or a file that it uses.
 *
 * @param about - the name of a file that a template uses
 * @throws {TemplateMistake} if the path is not a file, or the file is too large
 */
export function readUserFile(path: string, about?: string): Buffer {
  try {
    return readSmallFileSync(path, maxUserFileBytes);
  } catch (error) {
    if (!(error instanceof PathRefusal)) throw error;
    const what = about === undefined ? "cannot be read" : "a file that it uses cannot be read";
    throw new TemplateMistake(`${what}: ${error.message}`, about);
  }
}

/**
 * Returns the path of a file that a template uses.
 *
 * @throws {TemplateMistake} if it is not in the template folder. The existence of files elsewhere is not revealed
 */
export function pathOfUsed(folder: string, name: string): string {
  try {
    const root = realpathSync(folder);
    const path = realpathSync(resolve(root, name));
    if (path.startsWith(root + sep)) return path;
  } catch {
    // Refused below.
  }
  throw new TemplateMistake("is not in the template folder");
}

/** The state of a file, or `undefined` if it did not exist. */
export type Version = string | undefined;

/** Returns a fingerprint of a file without reading it. */
export function versionOf(path: string): Version {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/**
 * Returns the fingerprint of a module that Node is about to read.
 *
 * @throws {Error} if it is not a file, because Node would wait for a pipe, in a thread of which the process has only four
 */
export function versionToLoad(path: string): Version {
  const objection = objectionToReading(path);
  if (objection !== undefined) throw new Error(`${path} cannot be loaded: ${objection}`);
  return versionOf(path);
}
