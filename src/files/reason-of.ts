/** What went wrong, by the code of the system's error. */
interface Reasons {
  readonly [code: string]: string | undefined;
}

/** Also what a folder means that the system makes up, such as /proc: it is there, and nothing can be made in it. */
export const mayNotWrite = "this process may not write there";

export const isFolder = "it is a folder: name a file inside it";

export const isCircle = "its links lead in a circle";

export const isNoFolder = "a part of its path is a file, not a folder";

const reasons: Reasons = {
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
 * Says in words what the system refused.
 *
 * @param ownReasons - in the stead of what is said elsewhere
 */
export function reasonOf(error: unknown, ownReasons: Reasons = {}): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return ownReasons[code] ?? reasons[code] ?? message;
}
