import { access, constants, type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { draftEnding } from "../files/filenames.ts";
import { renamePatiently } from "../files/rename-patiently.ts";
import { Failure } from "./failure.ts";
import { resolveOutputPath, writeFailure } from "./output-path.ts";

/**
 * A file that is written under a temporary name and renamed at the end, so that readers see the whole file or none. It
 * follows links, keeps the mode of an existing file, and does not replace a file that this user may not write to.
 */
export class AtomicFile {
  /** Where it goes, as it was given. */
  readonly path: string;
  readonly #file: FileHandle;
  readonly #target: string;
  /** The path until the file is complete; `undefined` if the target is not a regular file and is written directly. */
  readonly #temporaryPath: string | undefined;

  private constructor(path: string, file: FileHandle, target: string, temporaryPath: string | undefined) {
    this.path = path;
    this.#file = file;
    this.#target = target;
    this.#temporaryPath = temporaryPath;
  }

  /** @throws {Failure} when nothing can be written there */
  static async open(path: string): Promise<AtomicFile> {
    try {
      const { path: target, isFile, mode } = await resolveOutputPath(path);
      if (!isFile) return new AtomicFile(path, await open(target, "w"), target, undefined);
      if (mode !== undefined) await access(target, constants.W_OK);
      const name = join(dirname(target), `.${crypto.randomUUID()}${draftEnding}`);
      const file = new AtomicFile(path, await open(name, "wx"), target, name);
      if (mode !== undefined) await file.#keepMode(mode);
      return file;
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
      const temporaryPath = this.#temporaryPath;
      if (temporaryPath === undefined) return this.#file.close();
      await this.#file.sync();
      await this.#file.close();
      await renamePatiently(() => rename(temporaryPath, this.#target));
    });
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    if (this.#temporaryPath !== undefined) await rm(this.#temporaryPath, { force: true }).catch(() => {});
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

/**
 * Reads the file that is about to be replaced.
 *
 * @returns its text, without a byte order mark and with line feeds as line ends; `undefined` if there is no file
 * @throws {Failure} when it cannot be read
 */
export async function readExisting(path: string): Promise<string | undefined> {
  try {
    const found = await resolveOutputPath(path);
    // Other kinds of file, such as /dev/null, hold nothing that could be lost.
    if (found.mode === undefined || !found.isFile) return undefined;
    return (await readFile(found.path, "utf8")).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/**
 * Writes a text to a file, as {@link AtomicFile} does.
 *
 * @throws {Failure} when it cannot be written
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const file = await AtomicFile.open(path);
  await file.append(text);
  await file.finish();
}
