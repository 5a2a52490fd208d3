import { readFile } from "node:fs/promises";
import { AtomicFile } from "../files/atomic-file.ts";
import { safeFilename } from "../files/filenames.ts";
import { describeWriteError } from "../files/system-errors.ts";
import { absolutePath, type FileTarget, resolveTarget } from "../files/target.ts";
import { Failure, Misuse } from "./failure.ts";

/** A file that the command writes: the whole file or none. */
export class OutputFile {
  /** Where it goes, as it was given. */
  readonly path: string;
  readonly #file: AtomicFile;

  private constructor(path: string, file: AtomicFile) {
    this.path = path;
    this.#file = file;
  }

  /** @throws {Misuse} when nothing can be written there */
  static async open(path: string): Promise<OutputFile> {
    try {
      return new OutputFile(path, await AtomicFile.open(await targetOf(path)));
    } catch (error) {
      throw new Misuse(describeFailure(path, error), { cause: error });
    }
  }

  /** @throws {Failure} when it cannot be written; nothing is left of it then */
  append(text: string): Promise<void> {
    return this.#orNothing(this.#file.write([Buffer.from(text)]));
  }

  /**
   * Gives the file its name.
   *
   * @throws {Failure} when that cannot be done; the file that was there before is left
   */
  finish(): Promise<void> {
    return this.#orNothing(this.#file.finish());
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    await this.#file.discard().catch(() => {});
  }

  async #orNothing(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      await this.discard();
      throw new Failure(describeFailure(this.path, error), { cause: error });
    }
  }
}

/**
 * Reads the file that is about to be replaced.
 *
 * @returns its text, without a byte order mark and with line feeds as line ends; `undefined` if there is no file
 * @throws {Misuse} when it cannot be read
 */
export async function readExisting(path: string): Promise<string | undefined> {
  try {
    const target = await targetOf(path);
    // A device, such as /dev/null, holds nothing that could be lost.
    if (target.mode === undefined || target.isDirect) return undefined;
    return (await readFile(target.path, "utf8")).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  } catch (error) {
    throw new Misuse(describeFailure(path, error), { cause: error });
  }
}

/** Says why a file cannot be written. */
export function describeFailure(path: string, cause: unknown): string {
  return `Could not write ${path}: ${describeWriteError(cause)}.`;
}

/** Names the file for a template's document: its uid, as far as every file system takes it. */
export function pdfNameOf(uid: string): string {
  return `${safeFilename(uid.replace(/\.pdf$/i, "")) ?? "document"}.pdf`;
}

function targetOf(path: string): Promise<FileTarget> {
  return resolveTarget(absolutePath(path, process.cwd()));
}
