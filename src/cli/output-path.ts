import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { objectionOfWindows } from "../files/filenames.ts";
import { describeSystemError, heldOrForbidden, mayBeHeld } from "../files/system-errors.ts";
import { Failure, Misuse } from "./failure.ts";

/** As many links in a row as Linux follows (path_resolution(7)). */
export const maxLinks = 40;

/** What a wrong path means, and not a full disk, say. */
const wrongPathCodes: readonly (string | undefined)[] = [
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "EACCES",
  "EPERM",
  "EROFS",
  "ELOOP",
  "ESPIPE",
];

const reasons = {
  ENOENT: "its folder does not exist; create it first",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  ESPIPE: "it is a pipe; -o - writes to standard output, which may be one",
};

/** What a path leads to. */
interface OutputPath {
  readonly path: string;
  /** Whether it is a regular file, or may become one. */
  readonly isFile: boolean;
  /** Nothing where there is no such file yet. */
  readonly mode: number | undefined;
}

/** Follows the links of a path that is to be written to. */
export async function resolveOutputPath(path: string): Promise<OutputPath> {
  let next = resolve(path);
  for (let links = 0; links <= maxLinks; links += 1) {
    const objection = process.platform === "win32" ? objectionOfWindows(basename(next)) : undefined;
    if (objection !== undefined) throw new Misuse(`Could not write ${path}: ${objection}.`);
    const here = join(await realpath(dirname(next)), basename(next));
    const stats = await lstat(here).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return undefined;
    });
    if (stats?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    // To write to it would wait for somebody who reads, perhaps for ever.
    if (stats?.isFIFO()) throw Object.assign(new Error(), { code: "ESPIPE" });
    if (!stats?.isSymbolicLink()) return { path: here, isFile: stats?.isFile() ?? true, mode: stats?.mode };
    next = resolve(dirname(here), await readlink(here));
  }
  throw Object.assign(new Error(), { code: "ELOOP" });
}

/** Tells why a file could not be written: a wrong path is a misuse. */
export function writeFailure(path: string, cause: unknown): Failure {
  const { code } = cause as NodeJS.ErrnoException;
  if (mayBeHeld(cause, process.platform)) {
    return new Failure(`Could not write ${path}: ${heldOrForbidden}.`, { cause });
  }
  const Kind = wrongPathCodes.includes(code) ? Misuse : Failure;
  return new Kind(`Could not write ${path}: ${describeSystemError(cause, reasons)}.`, { cause });
}
