import type { Stats } from "node:fs";
import nodePath, { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SaveError } from "../errors/errors.ts";
import { absolutePath } from "./absolute-path.ts";
import { close, lstat, openUnblocked, readlink, realpath } from "./file-system.ts";
import { objectionOfWindows } from "./filenames.ts";
import { asSaveError, cannotSave, isCircle, isFolder } from "./system-errors.ts";

/** Rules of a bulk run for each file that it saves. */
export interface SavePolicy {
  /** The start of the temporary file's name, after the dot. It shows which run left the file behind. */
  readonly mark: string;
  /** Creates the file's folder before the request is sent. The document fails with the error that it throws. */
  prepare(): Promise<void>;
  /**
   * Says why documents may not be saved to a file. Called before the request is sent, and again before the file is written.
   *
   * @param path - the path with all links followed
   */
  objectionTo(path: string): Promise<string | undefined>;
}

/** The path that the caller gave, made absolute when it was given. */
export interface SavePath {
  readonly given: string;
  readonly absolute: string;
  readonly policy: SavePolicy | undefined;
}

/** Where a document goes once all links are followed and it is clear what is there. */
export type SaveTarget =
  /** A regular file, or nothing yet: written as a temporary file in the same folder, then renamed. */
  | {
      readonly kind: "replace";
      readonly path: string;
      readonly folder: string;
      readonly existing: Stats | undefined;
    }
  /** A device, a pipe, an open descriptor: written to directly, because a rename would destroy it. */
  | { readonly kind: "through"; readonly path: string; readonly isPipe: boolean };

/** The maximum number of links that Linux follows (path_resolution(7)). */
const maxLinks = 40;

/** Names of open descriptors. They may lead to a regular file that another process holds open. */
const descriptor = /^\/(?:dev\/(?:fd\/|std(?:in|out|err)$)|proc\/[^/]+\/fd\/)/;

/** Windows paths that are not files: `\\.\NUL`, `\\.\pipe\name`. */
const windowsDevice = /^[\\/]{2}\.[\\/]/;

/**
 * Reads the path or `file:` URL that the caller gave.
 *
 * @throws {SaveError} when it is neither
 */
export function parseSavePath(given: string | URL, policy: SavePolicy | undefined): SavePath {
  const text = given instanceof URL ? pathOfUrl(given) : given;
  if (typeof text !== "string") throw notAPath(typeof text, String(text));
  if (text === "") throw notAPath("an empty string", text);
  if (text.includes("\0")) throw notAPath("a string with a NUL", text);
  if (process.platform === "win32" && windowsDevice.test(text)) throw notAPath("a device of Windows", text);
  return { given: text, absolute: absolutePath(text, nodePath, process.cwd()), policy };
}

function pathOfUrl(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const what =
      url.protocol === "file:" ? "a file: URL that is none of this machine" : `a URL with ${url.protocol}`;
    throw notAPath(what, url.protocol, cause);
  }
}

function notAPath(what: string, path: string, cause?: unknown): SaveError {
  const message = `A document can be saved to a path or a file: URL, not to ${what}.`;
  return new SaveError(message, cause === undefined ? { path } : { path, cause });
}

/**
 * Follows links and finds out what is at a path.
 *
 * @throws {SaveError} when a document cannot be saved there
 */
export async function resolveSaveTarget({ given, absolute, policy }: SavePath): Promise<SaveTarget> {
  try {
    const { path, folder, existing } = await followLinks(given, absolute);
    const objection = await policy?.objectionTo(path);
    if (objection !== undefined) throw cannotSave(given, objection);
    if (descriptor.test(path)) return { kind: "through", path, isPipe: false };
    if (existing?.isDirectory()) throw cannotSave(given, isFolder);
    if (existing && !existing.isFile()) return { kind: "through", path, isPipe: existing.isFIFO() };
    // Opened, because `access` in Deno ends a program that lacks the permission to read its user id.
    if (existing) await close(await openUnblocked(path));
    // Whether the folder takes new files shows only when one is created: see `Draft.open`.
    return { kind: "replace", path, folder, existing };
  } catch (error) {
    throw asSaveError(error, given);
  }
}

interface Found {
  readonly path: string;
  readonly folder: string;
  readonly existing: Stats | undefined;
}

/** Follows links folder by folder, as the system does, because `..` after a link leads out of the folder it points to. */
async function followLinks(given: string, absolute: string): Promise<Found> {
  let next = absolute;
  for (let links = 0; links <= maxLinks; links++) {
    if (next.endsWith(sep) || next.endsWith("/")) throw cannotSave(given, isFolder);
    const folder = await realpath(dirname(next));
    const name = basename(next);
    if (name === "." || name === "..") throw cannotSave(given, isFolder);
    const objection = process.platform === "win32" ? objectionOfWindows(name) : undefined;
    if (objection !== undefined) throw cannotSave(given, objection);
    const path = join(folder, name);
    if (descriptor.test(path)) return { path, folder, existing: undefined };
    const existing = await lstat(path);
    if (!existing?.isSymbolicLink()) return { path, folder, existing };
    next = absolutePath(await readlink(path), nodePath, folder);
  }
  throw cannotSave(given, isCircle);
}
