import { fileURLToPath } from "node:url";
import { SaveError } from "../errors/errors.ts";
import { isInstance, readForeign } from "../errors/foreign-values.ts";
import { AtomicFile, type DraftFolder } from "./atomic-file.ts";
import { fileSystem } from "./file-system.ts";
import { absolutePath, type FileTarget, followLinks } from "./follow-links.ts";
import { makeFolders } from "./make-folders.ts";
import { DraftKept, describeWriteError, PathRefusal } from "./system-errors.ts";

/** How `saveTo` saves a document. */
export interface SaveOptions {
  /**
   * Whether to create the missing folders in the path. They are created before the request is sent. Default:
   * `false`.
   */
  readonly recursive?: boolean | undefined;
}

/** The result of `saveTo`. */
export interface Saved {
  /** The path that you passed; for a URL, its path. */
  readonly path: string;
  /** The number of bytes in the file. */
  readonly bytes: number;
}

/** How a bulk run saves its files. */
export interface SavePolicy {
  /** The start of the temporary file's name, after the dot. It identifies the run that left the file behind. */
  readonly mark: string;
  /**
   * Creates the file's folder before the request is sent, and returns the mode of new files in it. If the method
   * throws, the document fails with that error.
   */
  prepare(): Promise<number>;
  /** Throws if a document must not be saved to a file. Called before the request is sent, and again before the file is written. */
  check(target: FileTarget): void;
  /** Opens the folder of a file that was just checked. The folder is closed once the document is saved. */
  openFolder(target: FileTarget): Promise<DraftFolder & { close(): void }>;
}

/** Whether the options come from a bulk run. */
export function isPolicy(options: SaveOptions | SavePolicy): options is SavePolicy {
  return typeof options === "object" && options !== null && Object.hasOwn(options, "prepare");
}

/** The caller's path, made absolute immediately. */
interface SavePath {
  readonly given: string;
  readonly absolute: string;
  readonly policy: SavePolicy | undefined;
  readonly recursive: boolean | undefined;
}

/** A path to which a document can be saved. */
export interface CheckedPath extends SavePath {
  /** The mode of the file if it is new; missing for a device or a pipe. */
  readonly newMode: number | undefined;
  /** Where the path leads; `undefined` if it may lead elsewhere by the time the document arrives. */
  readonly target?: FileTarget | undefined;
}

/**
 * Checks that a document can be saved to a path, and creates its folder if the options say so.
 *
 * @param given - the caller's path or `file:` URL. A relative path is resolved immediately
 * @param attempts - the number of requests, for the error
 * @throws {SaveError} if the document cannot be saved there
 */
export async function checkSavePath(
  given: string | URL,
  options: SaveOptions | SavePolicy,
  attempts: number,
): Promise<CheckedPath> {
  const path = parseSavePath(given, options, attempts);
  const { absolute, policy, recursive } = path;
  const preparedMode = await policy?.prepare();
  try {
    if (recursive) await makeFolders(fileSystem().path.dirname(absolute));
    const target = await resolveTarget(path);
    // Creating a file is cheaper than rendering a document that cannot be saved. Bulk runs check the folder in `prepare`.
    const isChecked = target.isDirect || policy !== undefined;
    const newMode = isChecked ? preparedMode : await AtomicFile.probe(target.folder);
    return { ...path, newMode, target };
  } catch (error) {
    throw saveError(path, error, attempts);
  }
}

/**
 * Writes a file, completely or not at all. Only a file that cannot be replaced, such as a mount point, is overwritten.
 *
 * @param write - writes the content, and returns its number of bytes
 * @param beforeEach - see `AtomicFileOptions`
 * @returns the number of bytes
 */
export async function saveFile(
  path: CheckedPath,
  write: (file: AtomicFile) => Promise<number>,
  beforeEach: () => void,
): Promise<number> {
  const { newMode, policy, target = await resolveTarget(path) } = path;
  const folder = await policy?.openFolder(target);
  try {
    const file = await AtomicFile.open(target, { newMode, mark: policy?.mark, folder, beforeEach });
    try {
      const bytes = await write(file);
      await file.finish();
      return bytes;
    } catch (error) {
      await file.discard();
      throw error;
    }
  } finally {
    folder?.close();
  }
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
  if (isInstance(error, PathRefusal)) return new SaveError(message, facts);
  if (!isInstance(error, DraftKept)) return new SaveError(message, { ...facts, cause: error });
  return new SaveError(message, { ...facts, draft: error.draft, cause: error.cause });
}

/** Windows paths that are not files: `\\.\NUL`, `\\.\pipe\name`. */
const windowsDevice = /^[\\/]{2}\.[\\/]/;

function parseSavePath(given: string | URL, options: SaveOptions | SavePolicy, attempts: number): SavePath {
  const text = isUrl(given) ? pathOfUrl(String(given), attempts) : given;
  if (typeof text !== "string") throw notAPath(typeof text, String(text), attempts);
  if (text === "") throw notAPath("an empty string", text, attempts);
  if (text.includes("\0")) throw notAPath("a string with a NUL", text, attempts);
  if (process.platform === "win32" && windowsDevice.test(text)) {
    throw notAPath("a Windows device", text, attempts);
  }
  const absolute = absolutePath(text, process.cwd());
  if (isPolicy(options)) return { given: text, absolute, policy: options, recursive: undefined };
  return { given: text, absolute, policy: undefined, recursive: options.recursive };
}

/** Whether the caller passed a URL, as an object of any realm or as text. No path begins like one, except with a drive letter. */
function isUrl(given: string | URL): boolean {
  if (typeof given === "string") return /^[a-z][a-z\d+.-]+:\/\//i.test(given);
  return Object.prototype.toString.call(given) === "[object URL]";
}

function pathOfUrl(url: string, attempts: number): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const protocol = url.slice(0, url.indexOf(":") + 1).toLowerCase();
    const what =
      protocol === "file:" ? "a file: URL that refers to another machine" : `a URL with ${protocol}`;
    throw notAPath(what, protocol, attempts, cause);
  }
}

function notAPath(what: string, path: string, attempts: number, cause?: unknown): SaveError {
  const message = `Expected a path or a file: URL to save the document to, got ${what}.`;
  return new SaveError(message, { path, attempts, ...(cause !== undefined && { cause }) });
}

/** @throws if no document may be saved there: see `followLinks` */
async function resolveTarget({ absolute, policy }: SavePath): Promise<FileTarget> {
  const target = await followLinks(absolute);
  policy?.check(target);
  return target;
}
