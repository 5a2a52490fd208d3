import { constants } from "node:fs";
import { type FileHandle, mkdir, open, opendir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { draftEnding } from "../../files/filenames.ts";
import { refuseDanglingLink } from "../../files/follow-links.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { type FolderCheck, OpenFolder } from "./open-folder.ts";

/** How a run opens its folders. */
export interface FolderAccess {
  /** The folder that contains all documents. */
  readonly place: string;
  /** Throws if documents must not be saved in a folder. */
  readonly check: FolderCheck;
  /** Called with the path of each folder that was created. */
  onNew(path: string): void;
}

/**
 * Opens a folder in the run's folder, and creates it and its parents if they are missing. Each parent is checked before a folder is
 * created in it.
 */
export async function openOrCreateFolder(path: string, access: FolderAccess): Promise<OpenFolder> {
  const found = await OpenFolder.open(path, access.check).catch(ignoreNoFolder);
  if (found) return found;
  if (path === access.place) return createPlace(access);
  const parent = await openOrCreateFolder(dirname(path), access);
  try {
    return await createChild(parent, path, access);
  } finally {
    parent.close();
  }
}

/** Creates the folder of all documents and its parents. The caller chose their path, so it is not checked. */
async function createPlace({ place, check, onNew }: FolderAccess): Promise<OpenFolder> {
  for (const created of await makeFolders(place)) onNew(created);
  return OpenFolder.open(place, check);
}

async function createChild(
  parent: OpenFolder,
  path: string,
  { check, onNew }: FolderAccess,
): Promise<OpenFolder> {
  const name = basename(path);
  const child = join(parent.path, name);
  check(join(await parent.realPath(), name));
  try {
    await mkdir(child);
  } catch (error) {
    // Another job may have created it just now. Otherwise, it is a file or a dangling link.
    const created = await OpenFolder.open(child, check).catch(ignoreNoFolder);
    if (created) return created;
    await refuseDanglingLink(path);
    throw error;
  }
  onNew(path);
  try {
    return await OpenFolder.open(child, check);
  } catch (error) {
    // Not every system can prevent that another process exchanges the parent for a link at this moment.
    await rmdir(child).catch(() => {});
    throw error;
  }
}

/** Returns `undefined` if a folder does not exist. */
function ignoreNoFolder(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
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
    // Another process may have put a pipe there, for which a normal open would wait.
    handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync();
  } catch (error) {
    if (!codesOfNoSync.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await handle?.close();
  }
}
