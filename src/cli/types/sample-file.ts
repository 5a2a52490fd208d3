import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { readSmallFile } from "../../files/read-file.ts";
import { isUid } from "../../request/endpoint.ts";
import { withoutPrototype } from "../../runtime/own-options.ts";
import { describeReadError, Misuse } from "../failure.ts";
import { expandPattern } from "./expand-pattern.ts";

/** A file that describes a template: samples, a schema or a template. */
export interface SampleFile {
  /** The absolute path. */
  readonly path: string;
  /** The name in messages: the path as it was passed. */
  readonly name: string;
  readonly kind: FileKind;
  /** The uid that was passed with the file. By default, it is derived from the name. */
  readonly uid: string | undefined;
}

/** The way in which a file is read. */
type FileKind = "json" | "lines" | "module";

/** The maximum size of a module that is searched for a default export, in bytes. */
const maxModuleBytes = 16 * 1024 * 1024;

const kinds: Readonly<Record<string, FileKind>> = {
  ".json": "json",
  ".ndjson": "lines",
  ".jsonl": "lines",
  ".mjs": "module",
  ".ts": "module",
};

/** Common files that are neither samples nor templates, and hidden files. */
const others =
  /^\.|^(?:package|package-lock|tsconfig|jsconfig)(?:\.\w+)?\.json$|\.(?:d|config|test|spec)\.(?:ts|mjs)$/;

/**
 * Expands a command-line argument: `path` or `uid=path`, where the path is a file, a folder or a pattern such
 * as `samples/*.json`.
 *
 * @param platform - the value of `process.platform`
 * @returns the paths of files and folders, and the uid that was passed with them
 * @throws {Misuse} if the argument cannot be a file path
 */
export async function expandWord(
  word: string,
  platform: string,
): Promise<{ readonly name: string; readonly uid: string | undefined }[]> {
  const equals = word.indexOf("=");
  const isPath = equals === -1 || (await statsOf(word)) !== undefined;
  const uid = isPath ? undefined : word.slice(0, equals).normalize();
  const name = isPath ? word : word.slice(equals + 1);
  if (uid !== undefined && !isUid(uid)) {
    throw new Misuse(`${word}: there is no valid uid before the =. Write uid=path.`);
  }
  if (name === "") throw new Misuse(`${word}: there is no path after the =. Write uid=path.`);
  if (name === "-") {
    throw new Misuse(
      `${word}: the types command reads files and folders, not standard input. Save the samples in a file.`,
    );
  }
  const names = (await statsOf(name)) ? [name] : await expandPattern(name, platform);
  return names.map((path) => ({ name: path, uid }));
}

/**
 * Finds the files at a path, which may be a folder.
 *
 * @throws {Misuse} if the file does not exist or its type is not supported
 */
export async function findSampleFiles(name: string, uid: string | undefined): Promise<SampleFile[]> {
  const stats = await stat(name).catch(unreadable(name));
  if (!stats.isDirectory()) {
    if (!stats.isFile()) {
      throw new Misuse(
        `${name}: this is a pipe, a socket or a device, but the types command reads only files and folders. Save its content in a file.`,
      );
    }
    const kind = sampleKindOf(name);
    if (kind !== undefined) return [{ path: resolve(name), name, kind, uid }];
    throw new Misuse(
      `${name}: the file type is not supported. Samples and schemas end in .json, .ndjson or .jsonl, templates in .json, .mjs or .ts.`,
    );
  }
  const files: SampleFile[] = [];
  for (const file of await filesIn(name)) {
    const kind = others.test(file) ? undefined : sampleKindOf(file);
    const path = resolve(name, file);
    // Opening a pipe would wait for a writer. The reader reports files that cannot be read.
    if (kind === undefined || (await statsOf(path))?.isFile() === false) continue;
    if (kind !== "module" || (await mayBeTemplate(path))) {
      files.push({ path, name: join(name, file), kind, uid });
    }
  }
  if (files.length > 0) return files;
  throw new Misuse(`${name}: this folder contains no samples, schemas or templates.`);
}

function statsOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** Running a module has unknown effects, so a module in a folder runs only if it looks like a template. */
async function mayBeTemplate(path: string): Promise<boolean> {
  // The reader reports files that cannot be read.
  const content = await readSmallFile(path, maxModuleBytes).catch(() => "export default");
  return /\bexport\s+default\b|\bas\s+default\b/.test(content.toString());
}

/** Converts a file system error to a message. */
export function unreadable(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new Misuse(`Could not read ${name}: ${describeReadError(cause)}.`, { cause });
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, withoutPrototype({ withFileTypes: true as const })).catch(
    unreadable(folder),
  );
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => entry.name).sort();
}

function sampleKindOf(name: string): FileKind | undefined {
  return kinds[extname(name).toLowerCase()];
}

/**
 * Returns the uid of the template that a file belongs to: the one that was passed with it, or else its name up to the first dot.
 * The uid of an emulator template is the complete name without the extension, as in the emulator.
 *
 * @throws {Misuse} if the name is not a valid uid
 */
export function uidOf({ name, uid }: SampleFile, isTemplate = false): string {
  if (uid !== undefined) return uid;
  const file = basename(name);
  // Some file systems decompose accented characters; callers write them as one character.
  const found = (isTemplate ? file.slice(0, -extname(file).length) : file.replace(/\..*$/s, "")).normalize();
  if (isUid(found)) return found;
  throw new Misuse(`${name}: the file name is not a valid uid. Specify the uid: uid=${name}.`);
}
