import type { FileHandle } from "node:fs/promises";

/** The mode of files that only their owner may read and write. */
export const privateMode = 0o600;

/** The error codes of file systems without modes, and of files that belong to another user. */
const codesOfNoModes: readonly (string | undefined)[] = ["EPERM", "EACCES", "EINVAL", "ENOSYS", "ENOTSUP"];

/** Removes the permissions of other users from an open file, if the system supports it. */
export async function makePrivate(file: FileHandle): Promise<void> {
  if (process.platform === "win32" || ((await file.stat()).mode & 0o077) === 0) return;
  await file.chmod(privateMode).catch((error) => {
    if (!codesOfNoModes.includes(error.code)) throw error;
  });
}
