import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";

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

/** The state of a file, or `undefined` if it did not exist. */
export type Version = string | undefined;

/** Returns a fingerprint of a file without reading it. */
export function versionOf(path: string): Version {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
