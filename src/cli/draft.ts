import { access, constants, type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { draftEnding } from "../files/draft.ts";
import { renamePatiently } from "../files/rename-patiently.ts";
import { Failure } from "./failure.ts";
import { findTarget, writeFailure } from "./write-target.ts";

/**
 * A file that is written beside its place, and takes it in the end: the whole of it or nothing. Links are followed, the mode of what
 * stands there is kept, and what may not be written to is not replaced.
 */
export class Draft {
  /** Where it goes, as it was given. */
  readonly path: string;
  readonly #file: FileHandle;
  readonly #target: string;
  /** Where it is until it is whole; nothing where it is written to what is no regular file. */
  readonly #draft: string | undefined;

  private constructor(path: string, file: FileHandle, target: string, draft: string | undefined) {
    this.path = path;
    this.#file = file;
    this.#target = target;
    this.#draft = draft;
  }

  /** @throws {Failure} when nothing can be written there */
  static async open(path: string): Promise<Draft> {
    try {
      const { path: target, isFile, mode } = await findTarget(path);
      if (!isFile) return new Draft(path, await open(target, "w"), target, undefined);
      if (mode !== undefined) await access(target, constants.W_OK);
      const name = join(dirname(target), `.${crypto.randomUUID()}${draftEnding}`);
      const draft = new Draft(path, await open(name, "wx"), target, name);
      if (mode !== undefined) await draft.#keepMode(mode);
      return draft;
    } catch (error) {
      throw error instanceof Failure ? error : writeFailure(path, error);
    }
  }

  /** @throws {Failure} when it cannot be written; nothing is left of it then */
  async append(text: string): Promise<void> {
    await this.#orNothing(() => this.#file.appendFile(text));
  }

  /**
   * Gives the file its name.
   *
   * @throws {Failure} when that cannot be done; what stood there before is left
   */
  async finish(): Promise<void> {
    await this.#orNothing(async () => {
      if (this.#draft === undefined) return this.#file.close();
      await this.#file.sync();
      await this.#file.close();
      const draft = this.#draft;
      await renamePatiently(() => rename(draft, this.#target));
    });
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    if (this.#draft !== undefined) await rm(this.#draft, { force: true }).catch(() => {});
  }

  #keepMode(mode: number): Promise<void> {
    return this.#orNothing(() => this.#file.chmod(mode & 0o7777));
  }

  async #orNothing(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      await this.discard();
      throw writeFailure(this.path, error);
    }
  }
}
