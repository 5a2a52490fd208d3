import { AtomicFile } from "../files/atomic-file.ts";
import { safeFilename } from "../files/filenames.ts";
import { absolutePath, type FileTarget, followLinks } from "../files/follow-links.ts";
import { readSmallFile } from "../files/read-file.ts";
import { describeWriteError } from "../files/system-errors.ts";
import { Failure, Misuse } from "./failure.ts";

/** The maximum size of a file that the command compares with its own output. */
const maxExistingBytes = 256 * 1024 * 1024;

/** A file that the command writes atomically. */
export class OutputFile {
  /** The path as the user gave it. */
  readonly path: string;
  readonly #file: AtomicFile;

  private constructor(path: string, file: AtomicFile) {
    this.path = path;
    this.#file = file;
  }

  /**
   * Starts a file. A file that replaces another keeps its mode.
   *
   * @param isPrivate - whether a new file is readable only by its owner, whatever the umask
   * @throws {Misuse} if nothing can be written to the path
   */
  static async open(path: string, isPrivate = false): Promise<OutputFile> {
    try {
      const target = await targetOf(path);
      const isMasked = target.mode === undefined && !isPrivate;
      const newMode = isMasked ? await AtomicFile.probe(target.folder) : undefined;
      return new OutputFile(path, await AtomicFile.open(target, { newMode }));
    } catch (error) {
      throw new Misuse(describeFailure(path, error), { cause: error });
    }
  }

  /** @throws {Failure} if writing fails; the temporary file is removed */
  append(text: string): Promise<void> {
    return this.#orDiscard(this.#file.write([Buffer.from(text)]));
  }

  /**
   * Moves the finished file to its path.
   *
   * @throws {Failure} if that fails; an existing file remains unchanged
   */
  finish(): Promise<void> {
    return this.#orDiscard(this.#file.finish());
  }

  /** Removes the temporary file. */
  async discard(): Promise<void> {
    await this.#file.discard().catch(() => {});
  }

  async #orDiscard(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      await this.discard();
      throw new Failure(describeFailure(this.path, error), { cause: error });
    }
  }
}

/**
 * Reads the file that will be replaced.
 *
 * @returns the text of the file without a byte order mark and with LF line endings; `undefined` if there is
 * no file
 * @throws {Misuse} if the file cannot be read
 */
export async function readExisting(path: string): Promise<string | undefined> {
  try {
    const target = await targetOf(path);
    // A device, such as /dev/null, has no content to preserve.
    if (target.mode === undefined || target.isDirect) return undefined;
    const text = (await readSmallFile(target.path, maxExistingBytes)).toString();
    return text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  } catch (error) {
    throw new Misuse(describeFailure(path, error), { cause: error });
  }
}

/** Describes why a file could not be written. */
export function describeFailure(path: string, cause: unknown): string {
  return `Could not write ${path}: ${describeWriteError(cause)}.`;
}

/** Returns the default file name of a template's document: the uid without characters that file systems reject. */
export function pdfNameOf(uid: string): string {
  return `${safeFilename(uid.replace(/\.pdf$/i, "")) ?? "document"}.pdf`;
}

function targetOf(path: string): Promise<FileTarget> {
  return followLinks(absolutePath(path, process.cwd()));
}
