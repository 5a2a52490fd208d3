import { SaveError } from "../errors/errors.ts";

/** Explanations by the code of the system's error. */
interface Explanations {
  readonly [code: string]: string | undefined;
}

/** Also the explanation for a virtual folder such as /proc, which exists but takes no files. */
export const mayNotWrite = "this process may not write there";

export const isFolder = "it is a folder: name a file inside it";

export const isCircle = "its links lead in a circle";

export const isNoFolder = "a part of its path is a file, not a folder";

const explanations: Explanations = {
  ENOENT: "it is not there any more",
  ENOTDIR: isNoFolder,
  EEXIST: "there is a file of that name",
  EISDIR: isFolder,
  ELOOP: isCircle,
  EACCES: mayNotWrite,
  EPERM: mayNotWrite,
  EBUSY: "another program has it open, or it is a mount point",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it has become larger than a file may be",
  EIO: "the disk reports an error",
  ENAMETOOLONG: "its name is too long",
};

/**
 * Describes in words what the system refused.
 *
 * @param ownExplanations - override the general ones
 */
export function describeSystemError(error: unknown, ownExplanations: Explanations = {}): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return ownExplanations[code] ?? explanations[code] ?? message;
}

/** Windows uses these codes if a virus scanner, an indexer or a reader holds the file or the one it replaces open. */
const codesOfHeldFiles: readonly (string | undefined)[] = ["EPERM", "EACCES", "EBUSY"];

/** The explanation for such a refusal. Windows does not report which of the two it is. */
export const heldOrForbidden = "another program has it open, or this process may not write there";

/**
 * Whether Windows refused to rename a file in the way it does while another program has the file open.
 *
 * @param platform - a value of `process.platform`
 */
export function mayBeHeld(error: unknown, platform: string): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return platform === "win32" && syscall === "rename" && codesOfHeldFiles.includes(code);
}

/** Creates the error for a path that a document cannot be saved to. */
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

/** Converts an error of the file system to a `SaveError`, and returns any other error unchanged. */
export function asSaveError(error: unknown, path: string, attempts = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const isSystemError = typeof code === "string" && (syscall !== undefined || code.startsWith("ERR_"));
  if (!isSystemError) return error;
  const why = mayBeHeld(error, process.platform)
    ? heldOrForbidden
    : describeSystemError(error, { ENOENT: "its folder does not exist: create it first" });
  return cannotSave(path, why, { cause: error, attempts });
}
