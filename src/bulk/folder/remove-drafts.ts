import { opendir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { draftEnding } from "../../files/filenames.ts";

/**
 * Removes from a folder what a run that was killed has left half written.
 *
 * @param stale - what the names of its files begin with
 * @param kept - what the names of those begin with, behind the dot, that are being written now
 */
export async function removeDrafts(folder: string, stale: string, kept: string): Promise<void> {
  // Gone through and not listed: it may hold a million documents. What cannot be removed is in nobody's way.
  const entries = await opendir(folder, { bufferSize: 1024 }).catch(() => []);
  for await (const { name } of entries) {
    const isStale = name.startsWith(stale) && name.endsWith(draftEnding) && !name.startsWith(`.${kept}`);
    if (isStale) await unlink(join(folder, name)).catch(() => {});
  }
}
