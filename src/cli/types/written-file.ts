import {
  access,
  chmod,
  constants,
  lstat,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Failure, Misuse, reasonOf } from "../failure.ts";

/** As many links in a row as Linux follows (path_resolution(7)). */
const maxLinks = 40;

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

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist; create it first",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  ELOOP: "its links lead in a circle",
  ESPIPE: "it is a pipe; -o - writes to standard output, which may be one",
};

/**
 * Reads the file that stands where one is to be written.
 *
 * @returns its text, without a byte order mark and with line feeds alone at the ends of lines; nothing where there is no file
 * @throws {Failure} when it cannot be read
 */
export async function readWritten(path: string): Promise<string | undefined> {
  try {
    const found = await findTarget(path);
    // What is no regular file, such as /dev/null, has nothing that could be lost.
    if (found.mode === undefined || !found.isFile) return undefined;
    return (await readFile(found.path, "utf8")).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/**
 * Writes a file: the whole of it or nothing. Links are followed, and its mode is kept.
 *
 * @throws {Failure} when it cannot be written
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    const { path: target, isFile, mode } = await findTarget(path);
    if (!isFile) return await writeFile(target, text);
    if (mode !== undefined) await access(target, constants.W_OK);
    const draft = join(dirname(target), `.${crypto.randomUUID()}.template-pdf`);
    try {
      await writeFile(draft, text, { flag: "wx" });
      if (mode !== undefined) await chmod(draft, mode & 0o7777);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** What a path leads to. */
interface Target {
  readonly path: string;
  /** Whether it is a regular file, or may become one. */
  readonly isFile: boolean;
  /** Nothing where there is no such file yet. */
  readonly mode: number | undefined;
}

/** Follows the links of a path that is to be written to. */
export async function findTarget(path: string): Promise<Target> {
  let next = resolve(path);
  for (let links = 0; links <= maxLinks; links += 1) {
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
  const Kind = wrongPathCodes.includes(code) ? Misuse : Failure;
  return new Kind(`Could not write ${path}: ${(code && reasons[code]) ?? reasonOf(cause)}.`, { cause });
}
