import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Where this package's own code lies: the parent of the folder of the parent of what a thread runs. */
const own = dirname(dirname(dirname(createRequire(import.meta.url).resolve("#renderer")))) + sep;

/** Whether a file is the user's own: neither a package's nor of this one. */
export function isOfUser(path: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(path) && !path.startsWith(own);
}

/** The path of a module, by its URL, where it is the user's own. */
export function userPathOf(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const [withoutQuery = url] = url.split(/[?#]/, 1);
  const path = fileURLToPath(withoutQuery);
  return isOfUser(path) ? path : undefined;
}

/** A file as it was, or `undefined` where there was none. */
export type Version = string | undefined;

/** Tells one state of a file from every other, without reading it. */
export function versionOf(path: string): Version {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
