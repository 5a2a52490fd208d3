import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../failure.ts";
import { findTarget, writeFailure } from "../types/written-file.ts";
import { type ReportEntry, type ReportFormat, type ReportLayout, reportLayouts } from "./report-entry.ts";

/** How much is written at once, and how much may wait for that. */
const pieceLength = 64 * 1024;
const maxWaitingLength = 1024 * 1024;

/** A report that is written while a run goes on, beside its place, and takes it in the end: the whole of it or nothing. */
export class ReportFile {
  /** Where it goes, as it was given. */
  readonly path: string;
  readonly #layout: ReportLayout;
  readonly #file: FileHandle;
  /** Where it is until it is whole; nothing where it is written to what is no regular file. */
  readonly #draft: string | undefined;
  readonly #target: string;
  #waiting: string;
  #isFirst = true;
  #writing: Promise<void> | undefined;
  #failure: Failure | undefined;

  private constructor(
    path: string,
    layout: ReportLayout,
    file: FileHandle,
    draft: string | undefined,
    target: string,
  ) {
    this.path = path;
    this.#layout = layout;
    this.#file = file;
    this.#draft = draft;
    this.#target = target;
    this.#waiting = layout.begin;
  }

  /**
   * Begins a report; makes its folder where it is missing.
   *
   * @throws {Failure} when it cannot be written there
   */
  static async open(path: string, format: ReportFormat): Promise<ReportFile> {
    try {
      await mkdir(dirname(path), { recursive: true });
      const { path: target, isFile, mode } = await findTarget(path);
      const draft = isFile ? join(dirname(target), `.${crypto.randomUUID()}.template-pdf`) : undefined;
      const file = draft === undefined ? await open(target, "w") : await open(draft, "wx", mode);
      return new ReportFile(path, reportLayouts[format], file, draft, target);
    } catch (error) {
      throw writeFailure(path, error);
    }
  }

  /** @throws {Failure} when what came before could not be written */
  add(entry: ReportEntry): void {
    if (this.#failure) throw this.#failure;
    this.#waiting += this.#layout.write(entry, this.#isFirst);
    this.#isFirst = false;
    if (this.#waiting.length >= pieceLength) this.#writing ??= this.#write();
  }

  /** Waits while more is to be written than should be held. */
  async room(): Promise<void> {
    while (this.#waiting.length > maxWaitingLength) await this.#writing;
  }

  /**
   * Gives the report its name.
   *
   * @throws {Failure} when it could not be written; the one that stood there before is left
   */
  async finish(): Promise<void> {
    try {
      await this.#writing;
      this.#waiting += this.#layout.end;
      await this.#write();
      if (this.#failure) throw this.#failure;
      if (this.#draft === undefined) return await this.#file.close();
      await this.#file.sync();
      await this.#file.close();
      await rename(this.#draft, this.#target);
    } catch (error) {
      await this.discard();
      throw error instanceof Failure ? error : writeFailure(this.path, error);
    }
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    await this.#writing;
    await this.#file.close().catch(() => {});
    if (this.#draft !== undefined) await rm(this.#draft, { force: true }).catch(() => {});
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && !this.#failure) {
        const piece = this.#waiting;
        this.#waiting = "";
        await this.#file.appendFile(piece);
      }
    } catch (error) {
      this.#failure = writeFailure(this.path, error);
      this.#waiting = "";
    }
    this.#writing = undefined;
  }
}
