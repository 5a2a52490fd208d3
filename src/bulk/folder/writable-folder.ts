import { type FileHandle, mkdir, open, opendir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { AtomicFile } from "../../files/atomic-file.ts";
import { draftEnding } from "../../files/filenames.ts";

/** Creates a folder and those above it, and checks that it takes files; returns the first one that was missing, if any. */
export async function makeWritableFolder(path: string, mark: string): Promise<string | undefined> {
  const firstMissing = await mkdir(path, { recursive: true }).catch(async (error: NodeJS.ErrnoException) => {
    // A recursive `mkdir` reports a read-only file system as a missing folder, and a plain one as what it is.
    if (error.code === "ENOENT") await mkdir(path);
    throw error;
  });
  await AtomicFile.probe(path, mark);
  return firstMissing;
}

/** Removes the drafts of a run that was killed: their names begin with `stale`, and those of this run with `kept`. */
export async function removeDrafts(folder: string, stale: string, kept: string): Promise<void> {
  // Read bit by bit, because the folder may hold a million documents. A draft that cannot be removed does no harm.
  const entries = await opendir(folder, { bufferSize: 1024 }).catch(() => []);
  for await (const { name } of entries) {
    const isStale = name.startsWith(stale) && name.endsWith(draftEnding) && !name.startsWith(kept);
    if (isStale) await unlink(join(folder, name)).catch(() => {});
  }
}

/** What systems report that do not open folders, or do not sync them. */
const codesOfNoSync: readonly string[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"];

/** Makes the names in a folder durable, where the system can. */
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
