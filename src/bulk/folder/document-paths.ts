import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { objectionOfWindows } from "../../files/filenames.ts";
import { hashJob, KeyTable, newRecord } from "../journal/key-table.ts";

/** Control characters, text direction marks, lone surrogates. */
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** Returns the reason a relative path cannot be used for a file in the folder, if there is one. The path contains values. */
export function objectionToPath(path: string, platform: string): string | undefined {
  const isWindows = platform === "win32";
  const names = path.split(isWindows ? /[\\/]/ : "/");
  for (const name of names) {
    if (name === "") return "it is absolute or has an empty segment";
    if (name === "." || name === "..") return `it contains ${JSON.stringify(name)}, which escapes the folder`;
    if (unprintable.test(name)) return "it contains a character that is not allowed in file names";
    if (new TextEncoder().encode(name).length > 255) return "it contains a name of more than 255 bytes";
    if (isWindows && objectionOfWindows(name) !== undefined) {
      return "it contains a name that Windows does not allow";
    }
  }
  return undefined;
}

/** Resolves the links in an absolute path. The last parts of the path may not exist. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}

/** Whether an absolute path is the folder itself or is inside it. */
export function isWithin(path: string, folder: string): boolean {
  const seen = relative(folder, path);
  return seen !== ".." && !seen.startsWith(`..${sep}`) && !isAbsolute(seen);
}

/** Returns the same string for all paths that may refer to one file, such as `A.pdf` and `a.pdf`, or `a/b.pdf` and `a\b.pdf`. */
export function foldedPath(path: string, platform: string): string {
  const isFolded = platform === "win32" || platform === "darwin";
  const folded = isFolded ? path.normalize("NFC").toLowerCase() : path;
  return platform === "win32" ? folded.replaceAll("/", "\\") : folded;
}

/** The job paths of a run. They are kept as hashes, because a run may have a million of them. */
export class UsedPaths {
  readonly #table = new KeyTable();
  readonly #record = newRecord();
  readonly #platform: string;

  constructor(platform: string) {
    this.#platform = platform;
  }

  /** Claims a path for a job. Returns the index of the job that already has it, if any. */
  claim(path: string, index: number): number | undefined {
    hashJob("", foldedPath(path, this.#platform), "", this.#record);
    const known = this.#table.find(this.#record);
    if (known !== -1) return this.#table.indexAt(known);
    this.#table.setIndex(this.#table.add(this.#record), index);
    return undefined;
  }
}
