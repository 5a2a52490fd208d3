import { type FileHandle, mkdir, open, opendir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { AtomicFile } from "../../files/atomic-file.ts";
import { draftEnding } from "../../files/filenames.ts";

/**
 * Creates a folder and its parents, and checks that the folder is writable. Returns the first folder that was missing, if any.
 */
export async function makeWritableFolder(path: string, mark: string): Promise<string | undefined> {
  const firstMissing = await mkdir(path, { recursive: true }).catch(async (error: NodeJS.ErrnoException) => {
    // Unlike a recursive `mkdir`, a plain one reports a read-only file system correctly.
    if (error.code === "ENOENT") await mkdir(path);
    throw error;
  });
  await AtomicFile.probe(path, mark);
  return firstMissing;
}

/** Removes the drafts of a killed run. Their names begin with `stale`. The names of this run's drafts begin with `kept`. */
export async function removeDrafts(folder: string, stale: string, kept: string): Promise<void> {
  // The folder is read incrementally, because it may contain a million documents. A remaining draft is harmless.
  const entries = await opendir(folder, { bufferSize: 1024 }).catch(() => []);
  for await (const { name } of entries) {
    const isStale = name.startsWith(stale) && name.endsWith(draftEnding) && !name.startsWith(kept);
    if (isStale) await unlink(join(folder, name)).catch(() => {});
  }
}

/** The error codes of systems that cannot open or sync folders. */
const codesOfNoSync: readonly string[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"];

/** Makes the entries of a folder durable, if the system supports it. */
export async function syncFolder(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!codesOfNoSync.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await handle?.close();
  }
}
