import { statSync } from "node:fs";

/** A file as it was, or `undefined` where there was none. */
export type Version = string | undefined;

/** Tells one state of a file from every other, without reading it. */
export function versionOf(path: string): Version {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
