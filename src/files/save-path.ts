import { fileURLToPath } from "node:url";
import { SaveError } from "../errors/errors.ts";
import { describeWriteError, PathRefusal } from "./system-errors.ts";
import { absolutePath, type FileTarget, resolveTarget } from "./target.ts";

/** Rules of a bulk run for each file that it saves. */
export interface SavePolicy {
  /** The start of the draft's name, after the dot. It shows which run left the file behind. */
  readonly mark: string;
  /** Creates the file's folder before the request is sent. The document fails with the error that it throws. */
  prepare(): Promise<void>;
  /**
   * Says why documents may not be saved to a file. Called before the request is sent, and again before the file is written.
   *
   * @param path - the path with all links followed
   */
  objectionTo(path: string): string | undefined;
}

/** The path that the caller gave, made absolute when it was given. */
export interface SavePath {
  readonly given: string;
  readonly absolute: string;
  readonly policy: SavePolicy | undefined;
}

/** Windows paths that are not files: `\\.\NUL`, `\\.\pipe\name`. */
const windowsDevice = /^[\\/]{2}\.[\\/]/;

/**
 * Reads the path or `file:` URL that the caller gave.
 *
 * @param attempts - how many requests were made, for the error
 * @throws {SaveError} when it is neither
 */
export function parseSavePath(
  given: string | URL,
  policy: SavePolicy | undefined,
  attempts: number,
): SavePath {
  const text = given instanceof URL ? pathOfUrl(given, attempts) : given;
  if (typeof text !== "string") throw notAPath(typeof text, String(text), attempts);
  if (text === "") throw notAPath("an empty string", text, attempts);
  if (text.includes("\0")) throw notAPath("a string with a NUL", text, attempts);
  if (process.platform === "win32" && windowsDevice.test(text)) {
    throw notAPath("a device of Windows", text, attempts);
  }
  return { given: text, absolute: absolutePath(text, process.cwd()), policy };
}

function pathOfUrl(url: URL, attempts: number): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const what =
      url.protocol === "file:" ? "a file: URL that is none of this machine" : `a URL with ${url.protocol}`;
    throw notAPath(what, url.protocol, attempts, cause);
  }
}

function notAPath(what: string, path: string, attempts: number, cause?: unknown): SaveError {
  const message = `A document can be saved to a path or a file: URL, not to ${what}.`;
  return new SaveError(message, { path, attempts, ...(cause !== undefined && { cause }) });
}

/** Follows the links of a path. Throws if no document may be saved there: see `resolveTarget`. */
export async function resolveSaveTarget({ absolute, policy }: SavePath): Promise<FileTarget> {
  const target = await resolveTarget(absolute);
  const objection = policy?.objectionTo(target.path);
  if (objection !== undefined) throw new PathRefusal(objection);
  return target;
}

/** Creates the error for a document that cannot be saved. */
export function saveError({ given }: SavePath, error: unknown, attempts: number): SaveError {
  const message = `Could not save the document to ${JSON.stringify(given)}: ${describeWriteError(error)}.`;
  const facts = { path: given, attempts };
  return new SaveError(message, error instanceof PathRefusal ? facts : { ...facts, cause: error });
}
