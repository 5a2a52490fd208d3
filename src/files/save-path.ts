import { fileURLToPath } from "node:url";
import { SaveError } from "../errors/errors.ts";
import { isInstance, readForeign } from "../errors/foreign-values.ts";
import { fileSystem } from "./file-system.ts";
import { OpenFolder } from "./open-folder.ts";
import { isPolicy, type SaveOptions, type SavePolicy } from "./save-options.ts";
import { describeWriteError, PathRefusal } from "./system-errors.ts";
import { absolutePath, type FileTarget, resolveTarget } from "./target.ts";

/** The caller's path, made absolute immediately. */
export interface SavePath {
  readonly given: string;
  readonly absolute: string;
  readonly policy: SavePolicy | undefined;
  readonly recursive: boolean | undefined;
}

/** A path to which a document can be saved. */
export interface CheckedPath extends SavePath {
  /** The mode of the file if it is new; missing for a device or a pipe. */
  readonly newMode: number | undefined;
}

/** Windows paths that are not files: `\\.\NUL`, `\\.\pipe\name`. */
const windowsDevice = /^[\\/]{2}\.[\\/]/;

/**
 * Parses the caller's path or `file:` URL.
 *
 * @param attempts - the number of requests, for the error
 * @throws {SaveError} if it is neither
 */
export function parseSavePath(
  given: string | URL,
  options: SaveOptions | SavePolicy,
  attempts: number,
): SavePath {
  const text = given instanceof URL ? pathOfUrl(given, attempts) : given;
  if (typeof text !== "string") throw notAPath(typeof text, String(text), attempts);
  if (text === "") throw notAPath("an empty string", text, attempts);
  if (text.includes("\0")) throw notAPath("a string with a NUL", text, attempts);
  if (process.platform === "win32" && windowsDevice.test(text)) {
    throw notAPath("a Windows device", text, attempts);
  }
  const policy = isPolicy(options) ? options : undefined;
  const recursive = policy ? undefined : options.recursive;
  return { given: text, absolute: absolutePath(text, process.cwd()), policy, recursive };
}

function pathOfUrl(url: URL, attempts: number): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const what =
      url.protocol === "file:" ? "a file: URL that refers to another machine" : `a URL with ${url.protocol}`;
    throw notAPath(what, url.protocol, attempts, cause);
  }
}

function notAPath(what: string, path: string, attempts: number, cause?: unknown): SaveError {
  const message = `Expected a path or a file: URL to save the document to, got ${what}.`;
  return new SaveError(message, { path, attempts, ...(cause !== undefined && { cause }) });
}

/** Follows the links of a path. Throws if no document may be saved there: see `resolveTarget`. */
export async function resolveSaveTarget({ absolute, policy }: SavePath): Promise<FileTarget> {
  const target = await resolveTarget(absolute);
  const objection = policy?.objectionTo(target.path);
  if (objection !== undefined) throw new PathRefusal(objection);
  // Neither can be replaced completely or not at all, which a bulk run promises.
  if (policy && target.isDirect) throw new PathRefusal("it is a device or a pipe, not a file");
  return target;
}

/**
 * Opens the folder of a target that was just checked, if the document must not be saved elsewhere.
 *
 * @throws {PathRefusal} if another process has since moved the folder or put a link in the place of one in its path. The folder's
 * `check` throws the same later
 */
export async function openTargetFolder(
  { policy }: SavePath,
  target: FileTarget,
): Promise<OpenFolder | undefined> {
  if (policy === undefined) return undefined;
  const { path } = fileSystem();
  const name = path.basename(target.path);
  let opened: string | undefined;
  return OpenFolder.open(target.folder, (realPath) => {
    opened ??= realPath;
    const isMoved = realPath !== opened;
    const objection =
      policy.objectionTo(path.join(realPath, name)) ?? (isMoved ? "its folder was moved" : undefined);
    if (objection === undefined) return;
    throw new PathRefusal(
      `${objection}. Another process replaced a folder in the path during the run: check who can write to these folders`,
    );
  });
}

/** Creates the missing folders of a path. */
export async function createFolders({ absolute }: SavePath): Promise<void> {
  const { mkdir, path } = fileSystem();
  await mkdir(path.dirname(absolute), { recursive: true });
}

export function saveError(
  { given, policy, recursive }: SavePath,
  error: unknown,
  attempts: number,
): SaveError {
  const isMissingFolder = readForeign(error, "code") === "ENOENT";
  const option = isMissingFolder && !policy && recursive === undefined ? ", or pass { recursive: true }" : "";
  const message = `Could not save the document to ${JSON.stringify(given)}: ${describeWriteError(error)}${option}.`;
  const facts = { path: given, attempts };
  return new SaveError(message, isInstance(error, PathRefusal) ? facts : { ...facts, cause: error });
}
