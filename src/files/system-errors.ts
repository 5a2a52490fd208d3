import { describeThrown, isInstance, readForeign, readForeignText } from "../errors/foreign-values.ts";

/** Thrown if a path cannot be used for a file. The message says why. */
export class PathRefusal extends Error {}

/** Thrown if a complete file could not be moved to its path. `cause` is the system error. */
export class DraftKept extends Error {
  /** The path at which the complete file was left. */
  readonly draft: string;

  constructor(draft: string, cause: unknown) {
    super("A complete file could not be moved to its path.", { cause });
    this.draft = draft;
  }
}

/** Explanations by system error code. */
interface Explanations {
  readonly [code: string]: string | undefined;
}

const mayNotWrite = "this process does not have permission to write there";
const mayNotReplace = "this process does not have permission to replace it";

export const isFolder = "it is a folder: specify a file inside it";

const explanations: Explanations = {
  ENOENT: "it no longer exists",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "a file with this name already exists",
  EISDIR: isFolder,
  ELOOP: "its links form a loop",
  EACCES: mayNotWrite,
  EPERM: mayNotWrite,
  EBUSY: "another program has it open, or it is a mount point",
  ETXTBSY: "another program is running it",
  EXDEV: "it is on another file system",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EIO: "the disk reported an error",
  ENAMETOOLONG: "its name is too long",
  ENXIO: "it is a pipe that no program is reading, or a socket",
};

/**
 * Describes a system error in words.
 *
 * @param ownExplanations - replace the general ones
 */
export function describeSystemError(error: unknown, ownExplanations: Explanations = {}): string {
  const code = readForeignText(error, "code") ?? "";
  const explained = [ownExplanations, explanations].find((known) => Object.hasOwn(known, code));
  return explained?.[code] ?? describeThrown(error);
}

/** Describes in words why a file could not be written, and where it was left if it is complete. */
export function describeWriteError(error: unknown): string {
  if (isInstance(error, DraftKept)) {
    return `${describeWriteError(error.cause)}. The complete file is ${JSON.stringify(error.draft)}: move it or delete it`;
  }
  // Windows does not distinguish the two.
  if (mayBeHeld(error)) return `another program has it open, or ${mayNotWrite}`;
  const isRename = readForeign(error, "syscall") === "rename";
  return describeSystemError(error, {
    ENOENT: "its folder does not exist: create it first",
    ...(isRename && { EACCES: mayNotReplace, EPERM: mayNotReplace }),
  });
}

/** Windows uses these codes if a virus scanner, an indexer or a reader holds the file or the one it replaces open. */
const codesOfHeldFiles: readonly (string | undefined)[] = ["EPERM", "EACCES", "EBUSY"];

/** Whether Windows refused to rename a file because another program may have it open. */
export function mayBeHeld(error: unknown, platform: string = process.platform): boolean {
  if (platform !== "win32" || readForeign(error, "syscall") !== "rename") return false;
  return codesOfHeldFiles.includes(readForeignText(error, "code"));
}
