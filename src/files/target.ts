import type { Stats } from "node:fs";
import nodePath, { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SaveError } from "../errors/errors.ts";
import { absolutePath } from "./absolute-path.ts";
import type { Drafting } from "./drafting.ts";
import { heldOrForbidden, mayBeHeld } from "./held-file.ts";
import { isCircle, isFolder, reasonOf } from "./reason-of.ts";
import { checkWritable, lstat, readlink, realpath } from "./system.ts";
import type { Place } from "./types.ts";
import { objectionOfWindows } from "./windows-name.ts";

/** Where a document is to be saved, once links are followed and it is clear what stands there. */
export type Target =
  /** A regular file, or nothing yet: written beside and renamed. */
  | {
      readonly kind: "replace";
      readonly path: string;
      readonly folder: string;
      readonly existing: Stats | undefined;
    }
  /** A device, a pipe, an open descriptor: a rename would destroy it, so it is written to. */
  | { readonly kind: "through"; readonly path: string; readonly isPipe: boolean };

/** As many links in a row as Linux follows (path_resolution(7)). */
const maxLinks = 40;

/** Names of open descriptors: what they lead to may be a regular file that somebody else holds open. */
const descriptor = /^\/(?:dev\/(?:fd\/|std(?:in|out|err)$)|proc\/[^/]+\/fd\/)/;

/** What `\\.\` begins is no file: `\\.\NUL`, `\\.\pipe\name`. */
const deviceOfWindows = /^[\\/]{2}\.[\\/]/;

/**
 * Reads what the caller gave as a path; `file:` URLs are turned into one.
 *
 * @throws {SaveError} when it is none
 */
export function locate(asked: string | URL, drafting?: Drafting): Place {
  const text = asked instanceof URL ? pathOf(asked) : asked;
  if (typeof text !== "string" || text === "" || text.includes("\0")) {
    const got =
      typeof text !== "string" ? typeof text : text === "" ? "an empty string" : "a string with a NUL";
    throw new SaveError(`A document can be saved to a path or a file: URL, not to ${got}.`, {
      path: String(text),
    });
  }
  if (process.platform === "win32" && deviceOfWindows.test(text)) {
    throw new SaveError("A document can be saved to a path or a file: URL, not to a device of Windows.", {
      path: text,
    });
  }
  return { asked: text, absolute: absolutePath(text, nodePath, process.cwd()), drafting };
}

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const what =
      url.protocol === "file:" ? "a file: URL that is none of this machine" : `a URL with ${url.protocol}`;
    throw new SaveError(`A document can be saved to a path or a file: URL, not to ${what}.`, {
      path: url.protocol,
      cause,
    });
  }
}

/**
 * Follows links and finds out what stands at a path.
 *
 * @throws {SaveError} when a document cannot be saved there
 */
export async function resolveTarget({ asked, absolute, drafting }: Place): Promise<Target> {
  try {
    const { path, folder, existing } = await followLinks(asked, absolute);
    const objection = await drafting?.objectionTo(path);
    if (objection !== undefined) throw cannotSave(asked, objection);
    if (descriptor.test(path)) return { kind: "through", path, isPipe: false };
    if (existing?.isDirectory()) throw cannotSave(asked, isFolder);
    if (existing && !existing.isFile()) return { kind: "through", path, isPipe: existing.isFIFO() };
    if (existing) await checkWritable(path);
    // Whether something can be made in it, only the making tells: see `Draft.open`.
    return { kind: "replace", path, folder, existing };
  } catch (error) {
    throw asSaveError(error, asked);
  }
}

interface Found {
  readonly path: string;
  readonly folder: string;
  readonly existing: Stats | undefined;
}

/** Follows links as the system does: folder by folder, because `..` after a link leads out of where it points. */
async function followLinks(asked: string, absolute: string): Promise<Found> {
  let next = absolute;
  for (let links = 0; links <= maxLinks; links++) {
    if (next.endsWith(sep) || next.endsWith("/")) throw cannotSave(asked, isFolder);
    const folder = await realpath(dirname(next));
    const name = basename(next);
    if (name === "." || name === "..") throw cannotSave(asked, isFolder);
    const objection = process.platform === "win32" ? objectionOfWindows(name) : undefined;
    if (objection !== undefined) throw cannotSave(asked, objection);
    const path = join(folder, name);
    if (descriptor.test(path)) return { path, folder, existing: undefined };
    const existing = await lstat(path).catch(ignoreMissing);
    if (!existing?.isSymbolicLink()) return { path, folder, existing };
    const link = await readlink(path);
    next = absolutePath(link, nodePath, folder);
  }
  throw cannotSave(asked, isCircle);
}

/** Takes the error of a file that is not there for an answer. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

/** What is said of a folder that is to hold one file. */
const reasons = { ENOENT: "its folder does not exist: create it first" };

/** Makes the error for a path that a document cannot be saved to. */
export function cannotSave(
  path: string,
  why: string,
  facts: { cause?: unknown; attempts?: number } = {},
): SaveError {
  return new SaveError(`Could not save the document to ${JSON.stringify(path)}: ${why}.`, {
    ...facts,
    path,
  });
}

/** Gives an error of the file system as a `SaveError`, and every other as it is. */
export function asSaveError(error: unknown, path: string, attempts = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const isOfTheSystem = typeof code === "string" && (syscall !== undefined || code.startsWith("ERR_"));
  if (!isOfTheSystem) return error;
  const why = mayBeHeld(error, process.platform) ? heldOrForbidden : reasonOf(error, reasons);
  return cannotSave(path, why, { cause: error, attempts });
}
