import { fileSystem, ignoreMissing, renamePatiently } from "./file-system.ts";
import { draftEnding } from "./filenames.ts";
import type { FileTarget } from "./target.ts";

/** A file that is being written: a draft in the target's folder that is renamed when complete, or a device or pipe. */
export class AtomicFile {
  readonly #descriptor: number;
  readonly #target: FileTarget;
  readonly #draft: string | undefined;
  #isOpen = true;

  private constructor(descriptor: number, target: FileTarget, draft: string | undefined) {
    this.#descriptor = descriptor;
    this.#target = target;
    this.#draft = draft;
  }

  /** @param mark - the start of the draft's name, after the dot */
  static async open(target: FileTarget, mark = ""): Promise<AtomicFile> {
    if (target.isDirect) return new AtomicFile(await openDirectly(target.path), target, undefined);
    // The draft's name is not derived from the target's name, which may already have the maximum length.
    const { open, path } = fileSystem();
    const draft = path.join(target.folder, `.${mark}${crypto.randomUUID()}${draftEnding}`);
    // The draft is private from its first byte on, because the file that it replaces may be.
    const descriptor = await open(draft, "wx", target.mode === undefined ? 0o666 : 0o600);
    return new AtomicFile(descriptor, target, draft);
  }

  /** Checks that files can be created in a folder by creating one. */
  static async probe(folder: string, mark?: string): Promise<void> {
    const target = { path: folder, folder, mode: undefined, isDirect: false };
    await (await AtomicFile.open(target, mark)).discard();
  }

  async write(chunks: Uint8Array[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      rest = withoutFirst(rest, await fileSystem().writev(this.#descriptor, rest));
    }
  }

  /**
   * Syncs the file and renames it to its target. Keeps the mode of the file that it replaces.
   *
   * @param beforeRename - called before each attempt to rename; it may throw
   */
  async finish(beforeRename?: () => void): Promise<void> {
    const draft = this.#draft;
    if (draft === undefined) return this.#close();
    const { chmod, sync, rename } = fileSystem();
    const { mode, path } = this.#target;
    if (mode !== undefined) await chmod(this.#descriptor, mode & 0o777);
    await sync(this.#descriptor);
    await this.#close();
    await renamePatiently(() => {
      beforeRename?.();
      return rename(draft, path);
    });
  }

  /** Closes the file and removes its draft. */
  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    if (this.#draft !== undefined) await fileSystem().unlink(this.#draft).catch(ignoreMissing);
  }

  /** Closes once, because the system reuses the number of a closed descriptor. */
  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await fileSystem().close(this.#descriptor);
  }
}

/** Opens a device or a pipe. Fails if no program reads the pipe, instead of waiting for one. */
async function openDirectly(path: string): Promise<number> {
  const { open, close, constants } = fileSystem();
  const probe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return await open(path, constants.O_WRONLY | constants.O_APPEND);
  } finally {
    // Closed only now, because a reader sees the end of the pipe when the last writer closes it.
    await close(probe);
  }
}

/** Returns the rest of the chunks after `count` bytes. */
function withoutFirst(chunks: Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
  }
  return [];
}
