import { join } from "node:path";
import type { Body, Sink } from "../call/body.ts";
import { ChunkList } from "../call/chunks.ts";
import { draftEnding } from "./drafting.ts";
import { renamePatiently } from "./held-file.ts";
import { isNoFolder, mayNotWrite } from "./reason-of.ts";
import { chmod, chown, close, lstat, open, rename, sync, unlink, waysToOpen, writev } from "./system.ts";
import { asSaveError, cannotSave, ignoreMissing, resolveTarget, type Target } from "./target.ts";
import type { Place, Saved } from "./types.ts";

/** How much may wait to be written before the service has to wait. */
const maxQueuedBytes = 1024 * 1024;

/** How often a pipe that nobody reads yet is looked at again. */
const readerPollMs = 50;

/** Checks that a document can be saved there, by beginning to: cheaper than finding out when it has been rendered. */
export async function check(place: Place): Promise<void> {
  await place.drafting?.prepare();
  const target = await resolveTarget(place);
  // Where many come, a folder that was prepared is enough.
  if (target.kind === "replace" && !place.drafting) await (await Draft.open(target, place)).discard();
}

/**
 * Saves a document: the whole file or none.
 *
 * @throws {SaveError} naming the path, with the system's own error as its cause
 */
export async function save(source: Body, place: Place, attempts: number): Promise<Saved> {
  const sink = new FileSink(source);
  source.read("saveTo()", sink);
  return { path: place.asked, bytes: await sink.run(place, attempts) };
}

/** Writes what it is given to a file, as fast as the disk takes it. */
class FileSink implements Sink {
  readonly isStream = false;
  readonly #source: Body;
  readonly #queue = new ChunkList();
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #running: Promise<number> | undefined;

  constructor(source: Body) {
    this.#source = source;
  }

  write(chunk: Uint8Array): boolean {
    this.#queue.add(chunk);
    this.#wake?.();
    return this.#queue.byteLength < maxQueuedBytes;
  }

  end(): Promise<void> {
    this.#ended = true;
    this.#wake?.();
    // The call is watched until the file has its name.
    return this.#whenOver();
  }

  fail(error: unknown): Promise<void> {
    this.#failure = { error };
    this.#wake?.();
    return this.#whenOver();
  }

  async #whenOver(): Promise<void> {
    // A document that has arrived whole ends while it is opened, before `run` is called.
    await undefined;
    await this.#running?.catch(() => {});
  }

  /** Writes everything to a place; gives the number of bytes. */
  run(place: Place, attempts: number): Promise<number> {
    this.#running = this.#run(place, attempts);
    return this.#running;
  }

  async #run(place: Place, attempts: number): Promise<number> {
    let draft: Draft | undefined;
    try {
      draft = await this.#open(place);
      const bytes = await this.#drainInto(draft);
      await draft.finish(() => this.#throwIfFailed());
      return bytes;
    } catch (error) {
      // What cannot be removed is no reason to tell another error than the first.
      await draft?.discard().catch(() => {});
      // What came by `fail` is the caller's own reason, or says already what is wrong.
      if (this.#failure) throw this.#failure.error;
      const failure = asSaveError(error, place.asked, attempts);
      this.#source.cancel(failure);
      throw failure;
    }
  }

  async #open(place: Place): Promise<Draft> {
    const target = await resolveTarget(place);
    const isPipe = target.kind === "through" && target.isPipe;
    const probe = isPipe ? await this.#awaitReader(target.path) : undefined;
    try {
      this.#throwIfFailed();
      return await Draft.open(target, place);
    } finally {
      // Not before: a reader whose last writer has gone takes the pipe for ended.
      if (probe !== undefined) await close(probe);
    }
  }

  /** Opening a pipe blocks a thread until somebody reads it: looked for without blocking, and given up at once. */
  async #awaitReader(path: string): Promise<number> {
    for (;;) {
      this.#throwIfFailed();
      const probe = await openUnblocked(path);
      if (probe !== undefined) return probe;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, readerPollMs);
      });
    }
  }

  async #drainInto(draft: Draft): Promise<number> {
    let bytes = 0;
    for (;;) {
      this.#throwIfFailed();
      if (this.#queue.byteLength > 0) {
        bytes += this.#queue.byteLength;
        await draft.write(this.#queue.take());
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
  readonly #descriptor: number;
  readonly #target: Target;
  readonly #path: string;
  #isOpen = true;

  private constructor(descriptor: number, target: Target, path: string) {
    this.#descriptor = descriptor;
    this.#target = target;
    this.#path = path;
  }

  static async open(target: Target, { asked, drafting }: Place): Promise<Draft> {
    if (target.kind === "through") {
      const descriptor = await open(target.path, waysToOpen().append);
      return new Draft(descriptor, target, target.path);
    }
    // A name of its own, hidden and short: the target's may already be as long as the file system allows.
    const path = join(target.folder, `.${drafting?.mark ?? ""}${crypto.randomUUID()}${draftEnding}`);
    try {
      // What replaces a private file is private from its first byte on.
      return new Draft(await open(path, "wx", target.existing ? 0o600 : 0o666), target, path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw asSaveError(cause, asked);
      // Windows says of a file that stands there, and of a folder that the system makes up, that nothing is.
      const isFile = await lstat(target.folder).then(
        (stats) => stats.isFile(),
        () => false,
      );
      throw cannotSave(asked, isFile ? isNoFolder : mayNotWrite, { cause });
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
   * @param lastWord - called before the name is given, each time that is tried; it may throw
   */
  async finish(lastWord: () => void): Promise<void> {
    if (this.#target.kind === "through") return this.#close();
    const { existing, path } = this.#target;
    if (existing) {
      // First, because it clears the set-id bits. Only the superuser may give a file away: for everybody else it
      // is theirs, as after any rename, and its new group may do no more than everybody.
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
      lastWord();
      return rename(this.#path, path);
    });
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    if (this.#target.kind === "through") return;
    await unlink(this.#path).catch(ignoreMissing);
  }

  /** Once: the system gives the number of a closed file to the next. */
  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await close(this.#descriptor);
  }
}

/** Opens a pipe for writing where somebody reads it (fifo(7): without blocking, it is refused until somebody does). */
async function openUnblocked(path: string): Promise<number | undefined> {
  try {
    return await open(path, waysToOpen().unblocked);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return undefined;
    throw error;
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
