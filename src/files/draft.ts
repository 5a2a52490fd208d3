import { join } from "node:path";
import {
  chmod,
  chown,
  close,
  create,
  ignoreMissing,
  lstat,
  openToAppend,
  openUnblocked,
  rename,
  sync,
  unlink,
  writev,
} from "./file-system.ts";
import { draftEnding } from "./filenames.ts";
import { renamePatiently } from "./rename-patiently.ts";
import type { SavePath, SaveTarget } from "./save-target.ts";
import { asSaveError, cannotSave, isNoFolder, mayNotWrite } from "./system-errors.ts";

/** A file being written: a temporary file in the target's folder, or the target itself if that is not a regular file. */
export class Draft {
  readonly #descriptor: number;
  readonly #target: SaveTarget;
  readonly #path: string;
  #isOpen = true;

  private constructor(descriptor: number, target: SaveTarget, path: string) {
    this.#descriptor = descriptor;
    this.#target = target;
    this.#path = path;
  }

  /** Opens the file. Returns `undefined` for a pipe that nobody reads yet: opening it would block a thread. */
  static async open(target: SaveTarget, { given, policy }: SavePath): Promise<Draft | undefined> {
    if (target.kind === "through") {
      const descriptor = target.isPipe ? await openPipe(target.path) : await openToAppend(target.path);
      return descriptor === undefined ? undefined : new Draft(descriptor, target, target.path);
    }
    // Not derived from the target's name, which may already be as long as the file system allows.
    const path = join(target.folder, `.${policy?.mark ?? ""}${crypto.randomUUID()}${draftEnding}`);
    try {
      // The temporary file is private from its first byte on, because the file that it replaces may be.
      return new Draft(await create(path, target.existing ? 0o600 : 0o666), target, path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw asSaveError(cause, given);
      // Windows reports ENOENT for a file used as a folder, and so do virtual folders.
      const isFile = await lstat(target.folder).then(
        (stats) => stats?.isFile(),
        () => false,
      );
      throw cannotSave(given, isFile ? isNoFolder : mayNotWrite, { cause });
    }
  }

  async write(chunks: Uint8Array[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      rest = withoutFirst(rest, await writev(this.#descriptor, rest));
    }
  }

  /**
   * Syncs the file and gives it its name.
   *
   * @param beforeRename - called before each attempt to rename; it may throw
   */
  async finish(beforeRename: () => void): Promise<void> {
    if (this.#target.kind === "through") return this.#close();
    const { existing, path } = this.#target;
    if (existing) {
      // First, because it clears the set-id bits. Only the superuser may change the owner of a file: for other users the file
      // is theirs, as after any rename, and its new group gets no more rights than everybody.
      const isKept = await chown(this.#descriptor, existing.uid, existing.gid).then(
        () => true,
        () => false,
      );
      const mode = existing.mode & 0o7777;
      await chmod(this.#descriptor, isKept ? mode : (mode & 0o707) | (mode & (mode << 3) & 0o070));
    }
    await sync(this.#descriptor);
    await this.#close();
    await renamePatiently(() => {
      beforeRename();
      return rename(this.#path, path);
    });
  }

  /** Closes and removes the temporary file. */
  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    if (this.#target.kind === "through") return;
    await unlink(this.#path).catch(ignoreMissing);
  }

  /** Closes once, because the system reuses the number of a closed descriptor. */
  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await close(this.#descriptor);
  }
}

/** Opens a pipe for writing if it has a reader. Without blocking, the system refuses a pipe without one (fifo(7)). */
async function openPipe(path: string): Promise<number | undefined> {
  const probe = await openUnblocked(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENXIO") throw error;
    return undefined;
  });
  if (probe === undefined) return undefined;
  try {
    return await openToAppend(path);
  } finally {
    // Not before: a reader sees the end of the pipe when its last writer closes it.
    await close(probe);
  }
}

/** Returns what is left of the chunks after their first `count` bytes were written. */
function withoutFirst(chunks: Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
  }
  return [];
}
