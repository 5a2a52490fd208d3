import type { FileHandle } from "node:fs/promises";
import type { Sink, Source } from "../body.ts";
import { asSaveError, cannotSave, mayNotWrite, resolveTarget, type Target, targetPath } from "./target.ts";
import type { Saved } from "./types.ts";

/** How much may wait to be written before the service has to wait. */
const maxQueuedBytes = 1024 * 1024;

/** Checks that a document can be saved there, by beginning to: cheaper than finding out when it has been rendered. */
export async function check(path: string | URL): Promise<void> {
  const asked = targetPath(path);
  const target = await resolveTarget(asked);
  if (target.kind === "replace") await (await Draft.open(target, asked)).discard();
}

/**
 * Saves a document: the whole file or none.
 *
 * @throws {SaveError} naming the path, with the system's own error as its cause
 */
export async function save(source: Source, path: string | URL, attempts: number): Promise<Saved> {
  const asked = targetPath(path);
  const sink = new FileSink(source);
  source.read("saveTo()", sink);
  return { path: asked, bytes: await sink.run(asked, attempts) };
}

/** Writes what it is given to a file, as fast as the disk takes it. */
class FileSink implements Sink {
  readonly #source: Source;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #giveUp: ((error: unknown) => void) | undefined;
  #running: Promise<number> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  write(chunk: Uint8Array): boolean {
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    this.#wake?.();
    return this.#queuedBytes < maxQueuedBytes;
  }

  end(): Promise<void> {
    this.#ended = true;
    this.#wake?.();
    // Still at work: what watches over the call has to watch until the file has its name.
    return new Promise((resolve) => {
      const done = () => resolve();
      queueMicrotask(() => (this.#running ?? Promise.resolve()).then(done, done));
    });
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake?.();
    this.#giveUp?.(error);
  }

  /** Writes everything to `path`; gives the number of bytes. */
  run(path: string, attempts: number): Promise<number> {
    this.#running = this.#run(path, attempts);
    return this.#running;
  }

  async #run(path: string, attempts: number): Promise<number> {
    let draft: Draft | undefined;
    try {
      draft = await this.#open(path);
      const bytes = await this.#drainInto(draft);
      await draft.finish(() => this.#throwIfFailed());
      return bytes;
    } catch (error) {
      await draft?.discard();
      // What came by `fail` is the caller's own reason, or says already what is wrong.
      if (this.#failure) throw this.#failure.error;
      const failure = asSaveError(error, path, attempts);
      this.#source.cancel(failure);
      throw failure;
    }
  }

  /** Opens the file, or gives up meanwhile: a pipe that nobody reads opens only when somebody does. */
  async #open(path: string): Promise<Draft> {
    const target = await resolveTarget(path);
    this.#throwIfFailed();
    const opening = Draft.open(target, path);
    const failing = new Promise<never>((_, reject) => {
      this.#giveUp = reject;
    });
    try {
      return await Promise.race([opening, failing]);
    } catch (error) {
      opening.then(
        (late) => late.discard(),
        () => {},
      );
      throw error;
    }
  }

  async #drainInto(draft: Draft): Promise<number> {
    let bytes = 0;
    for (;;) {
      this.#throwIfFailed();
      const chunks = this.#queue;
      if (chunks.length > 0) {
        this.#queue = [];
        bytes += this.#queuedBytes;
        this.#queuedBytes = 0;
        await draft.write(chunks);
        this.#source.resume();
      } else if (this.#ended) {
        return bytes;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

/** The file while it is being written: beside its target, or the target itself where that is no regular file. */
class Draft {
  readonly #handle: FileHandle;
  readonly #target: Target;
  readonly #path: string;

  private constructor(handle: FileHandle, target: Target, path: string) {
    this.#handle = handle;
    this.#target = target;
    this.#path = path;
  }

  static async open(target: Target, asked: string): Promise<Draft> {
    const { constants, open } = process.getBuiltinModule("node:fs/promises");
    if (target.kind === "through") {
      const handle = await open(target.path, constants.O_WRONLY | constants.O_APPEND);
      return new Draft(handle, target, target.path);
    }
    const { join } = process.getBuiltinModule("node:path");
    // A name of its own, hidden and short: the target's may already be as long as the file system allows.
    const path = join(target.folder, `.${crypto.randomUUID()}.template-pdf`);
    try {
      // What replaces a private file is private from its first byte on.
      return new Draft(await open(path, "wx", target.existing ? 0o600 : 0o666), target, path);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw code === "ENOENT" ? cannotSave(asked, mayNotWrite, { cause }) : asSaveError(cause, asked);
    }
  }

  async write(chunks: Uint8Array[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      const { bytesWritten } = await this.#handle.writev(rest);
      rest = withoutFirst(rest, bytesWritten);
    }
  }

  /**
   * Syncs the file and gives it its name.
   *
   * @param lastWord - called before the name is given; it may throw
   */
  async finish(lastWord: () => void): Promise<void> {
    if (this.#target.kind === "through") return this.#handle.close();
    const { existing, path } = this.#target;
    if (existing) {
      await this.#handle.chmod(existing.mode & 0o7777);
      // Only the superuser may give a file away; for everybody else it is theirs, as after any rename.
      await this.#handle.chown(existing.uid, existing.gid).catch(() => {});
    }
    await this.#handle.sync();
    await this.#handle.close();
    lastWord();
    await process.getBuiltinModule("node:fs/promises").rename(this.#path, path);
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#target.kind === "through") return;
    await process.getBuiltinModule("node:fs/promises").rm(this.#path, { force: true });
  }
}

/** What of the chunks is left when their first `count` bytes were written: the system may write less than asked. */
function withoutFirst(chunks: Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
  }
  return [];
}
