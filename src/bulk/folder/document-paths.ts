import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { objectionOfWindows } from "../../files/filenames.ts";
import { hashJob, KeyTable, newRecord } from "../journal/key-table.ts";

/** Control characters, text direction marks, half characters. */
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** Says why a relative path cannot be that of a file inside a folder: it is made of values, and none may lead elsewhere. */
export function objectionToPath(path: string, platform: string): string | undefined {
  const isWindows = platform === "win32";
  const names = path.split(isWindows ? /[\\/]/ : "/");
  for (const name of names) {
    if (name === "") return "it has an empty part, as an absolute path has";
    if (name === "." || name === "..")
      return `it has the part ${JSON.stringify(name)}, which leads elsewhere`;
    if (unprintable.test(name)) return "it has a character that no file name should have";
    if (new TextEncoder().encode(name).length > 255) return "a name in it is longer than 255 bytes";
    if (isWindows && objectionOfWindows(name) !== undefined) {
      return "it has a name that Windows does not take";
    }
  }
  return undefined;
}

/** Returns an absolute path with its links followed. Parts at its end may be missing. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}

/** Whether an absolute path is a folder, or inside it. */
export function isWithin(path: string, folder: string): boolean {
  const seen = relative(folder, path);
  return seen !== ".." && !seen.startsWith(`..${sep}`) && !isAbsolute(seen);
}

/** Returns the same text for two paths of one file, where `A.pdf` and `a.pdf` are one, or `a/b.pdf` and `a\b.pdf`. */
export function foldedPath(path: string, platform: string): string {
  const isFolded = platform === "win32" || platform === "darwin";
  const folded = isFolded ? path.normalize("NFC").toLowerCase() : path;
  return platform === "win32" ? folded.replaceAll("/", "\\") : folded;
}

/** The paths that the jobs of a run have, by their hashes: a run may have a million of them. */
export class UsedPaths {
  readonly #table = new KeyTable();
  readonly #record = newRecord();
  readonly #platform: string;

  constructor(platform: string) {
    this.#platform = platform;
  }

  /** Claims a path for a job; returns the index of another that has it already. */
  claim(path: string, index: number): number | undefined {
    hashJob("", foldedPath(path, this.#platform), "", this.#record);
    const known = this.#table.find(this.#record);
    if (known !== -1) return this.#table.indexAt(known);
    this.#table.setIndex(this.#table.add(this.#record), index);
    return undefined;
  }
}
