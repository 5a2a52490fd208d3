import { readForeign } from "../errors/foreign-values.ts";
import { fileSystem, ignoreMissing, privateMode, renamePatiently } from "./file-system.ts";
import { draftEnding } from "./filenames.ts";
import type { FileTarget } from "./follow-links.ts";
import { overwrite } from "./overwrite.ts";
import { DraftKept } from "./system-errors.ts";

/** How long to wait before writing to a full pipe again, in milliseconds. */
const fullPipeMs = 2;

/** A folder in which a file must stay, although another process may exchange it. */
export interface DraftFolder {
  /** The path for system calls. */
  readonly path: string;
  /** Rejects if the folder must not be used any more. */
  check(): Promise<void>;
}

/** How a file is created. */
export interface AtomicFileOptions {
  /** The mode of the file if it does not replace another file. Default: only its owner may read it. */
  readonly newMode?: number | undefined;
  /** The start of the draft's name, after the dot. */
  readonly mark?: string | undefined;
  /** The target's folder, if the file must not be saved outside of it. */
  readonly folder?: DraftFolder | undefined;
  /** Called before each attempt to write or to rename, because a full pipe may never be read. It may throw. */
  readonly beforeEach?: (() => void) | undefined;
}

/** Where a file is written. */
interface Place extends Pick<AtomicFileOptions, "folder" | "beforeEach"> {
  readonly path: string;
  /** The path until the file is complete; missing for a device or a pipe. */
  readonly draft?: string;
  /** The path of the draft for people. The other one may lead through a descriptor. */
  readonly visibleDraft?: string;
  /** The mode of the finished file. */
  readonly mode: number;
}

/** A file that is being written: a draft in the target's folder that is renamed when complete, or a device or pipe. */
export class AtomicFile {
  readonly #descriptor: number;
  readonly #place: Place;
  /** A kept draft is not removed. */
  #state: "open" | "closed" | "kept" = "open";

  private constructor(descriptor: number, place: Place) {
    this.#descriptor = descriptor;
    this.#place = place;
  }

  /** @throws whatever the check of `folder` throws */
  static async open(target: FileTarget, options: AtomicFileOptions): Promise<AtomicFile> {
    const { newMode = privateMode, mark, folder, beforeEach } = options;
    const mode = (target.mode ?? newMode) & 0o777;
    if (target.isDirect) {
      return new AtomicFile(await openDirectly(target.path), { path: target.path, mode, beforeEach });
    }
    const { open, path: paths } = fileSystem();
    const parent = folder?.path ?? target.folder;
    const path = paths.join(parent, paths.basename(target.path));
    const draft = draftPath(parent, mark);
    // The draft is private from its first byte on, because the finished file may be.
    const descriptor = await open(draft, "wx", privateMode);
    const visibleDraft = paths.join(target.folder, paths.basename(draft));
    const file = new AtomicFile(descriptor, { path, draft, visibleDraft, mode, folder, beforeEach });
    try {
      await folder?.check();
    } catch (error) {
      await file.discard();
      throw error;
    }
    return file;
  }

  /**
   * Checks that files can be created in a folder by creating one.
   *
   * @returns the mode of new files, according to the umask or the folder's access control list
   */
  static async probe(folder: string, mark?: string): Promise<number> {
    const { open, fstatSync, close, unlink } = fileSystem();
    const path = draftPath(folder, mark);
    const descriptor = await open(path, "wx", 0o666);
    try {
      // Synchronous, because the system has just created the file and still knows its mode.
      return fstatSync(descriptor).mode & 0o777;
    } finally {
      await close(descriptor);
      await unlink(path).catch(ignoreMissing);
    }
  }

  async write(chunks: Uint8Array[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      this.#place.beforeEach?.();
      const count = await fileSystem().writev(this.#descriptor, rest).catch(ignoreFullPipe);
      if (count === undefined) await new Promise((resolve) => setTimeout(resolve, fullPipeMs));
      else rest = withoutFirst(rest, count);
    }
  }

  /**
   * Syncs the file and moves it to its target. Keeps the mode of the file that it replaces.
   *
   * @throws {DraftKept} if the system refuses that
   * @throws whatever `beforeEach` throws
   * @throws whatever the check of the folder throws. In that case, the file is removed
   */
  async finish(): Promise<void> {
    const { path, draft, folder, beforeEach } = this.#place;
    if (draft === undefined) return this.#close();
    const { sync, fstatSync } = fileSystem();
    // Synchronous, because the system has just written the file and still knows it.
    const { ino, dev } = fstatSync(this.#descriptor);
    try {
      await this.#setMode();
      await sync(this.#descriptor);
      await this.#close();
      await this.#move(draft, path);
    } catch (error) {
      // A caller who no longer wants the file does not want its draft, either.
      beforeEach?.();
      throw await this.#keep(error);
    }
    try {
      await folder?.check();
    } catch (error) {
      // The path may lead elsewhere now.
      const { lstat, unlink } = fileSystem();
      const found = await lstat(path).catch(ignoreMissing);
      if (found?.ino === ino && found.dev === dev) await unlink(path).catch(ignoreMissing);
      throw error;
    }
  }

  /** Moves the draft to its path. */
  async #move(draft: string, path: string): Promise<void> {
    const { beforeEach } = this.#place;
    const { rename, unlink } = fileSystem();
    try {
      await renamePatiently(() => {
        beforeEach?.();
        return rename(draft, path);
      });
    } catch (error) {
      // A mount point, such as a single file that is mounted into a container, can be written but not replaced.
      const isMountPoint = process.platform !== "win32" && readForeign(error, "code") === "EBUSY";
      if (!isMountPoint) throw error;
      await overwrite(path, draft);
      await unlink(draft).catch(() => {});
    }
  }

  /** Leaves the draft where it is, because its content may not be available again. Returns the error that says so. */
  async #keep(error: unknown): Promise<unknown> {
    await this.#close().catch(() => {});
    const { visibleDraft = "" } = this.#place;
    // Its folder may have been moved or removed.
    const isThere = await fileSystem()
      .lstat(visibleDraft)
      .catch(() => undefined);
    if (!isThere) return error;
    this.#state = "kept";
    return new DraftKept(visibleDraft, error);
  }

  /** Closes the file and removes its draft. Does not throw, because an earlier error is the one to report. */
  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    const { draft } = this.#place;
    if (draft !== undefined && this.#state !== "kept")
      await fileSystem()
        .unlink(draft)
        .catch(() => {});
  }

  /** Gives the finished file its mode. */
  async #setMode(): Promise<void> {
    const { chmod, fstatSync } = fileSystem();
    const { mode } = this.#place;
    if (mode === privateMode || process.platform === "win32") return;
    try {
      await chmod(this.#descriptor, mode);
    } catch (error) {
      // File systems without modes refuse the change, but give every file the same mode.
      if ((fstatSync(this.#descriptor).mode & 0o777) !== mode) throw error;
    }
  }

  /** Closes once, because the system reuses the number of a closed descriptor. */
  async #close(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "closed";
    await fileSystem().close(this.#descriptor);
  }
}

/** Returns a new name. It is not derived from the target's name, which may already have the maximum length. */
function draftPath(folder: string, mark = ""): string {
  return fileSystem().path.join(folder, `.${mark}${crypto.randomUUID()}${draftEnding}`);
}

/**
 * Opens a device or a pipe. Fails if no program reads the pipe. No thread waits for the program, because the process could not
 * exit until then.
 */
function openDirectly(path: string): Promise<number> {
  const { open, constants } = fileSystem();
  return open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
}

/** Returns `undefined` if a pipe is full. */
function ignoreFullPipe(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EAGAIN") throw error;
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
