import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Failure, Misuse } from "../failure.ts";
import { describeFailure, OutputFile } from "../output-file.ts";
import { type ReportEntry, type ReportFormat, type ReportLayout, reportLayouts } from "./report-entry.ts";

/** How much is written at once. */
const pieceLength = 64 * 1024;

/** A report that is written while a run goes on: the whole of it or nothing. */
export class ReportFile {
  readonly #layout: ReportLayout;
  readonly #file: OutputFile;
  #waiting: string;
  #isFirst = true;
  #writing = Promise.resolve();
  #failure: Failure | undefined;

  private constructor(layout: ReportLayout, file: OutputFile) {
    this.#layout = layout;
    this.#file = file;
    this.#waiting = layout.begin;
  }

  /**
   * Begins a report; makes its folder where it is missing.
   *
   * @throws {Failure} when it cannot be written there
   */
  static async open(path: string, format: ReportFormat): Promise<ReportFile> {
    await mkdir(dirname(path), { recursive: true }).catch((error) => {
      throw new Misuse(describeFailure(path, error), { cause: error });
    });
    return new ReportFile(reportLayouts[format], await OutputFile.open(path));
  }

  /** Where it goes, as it was given. */
  get path(): string {
    return this.#file.path;
  }

  /** @throws {Failure} when what came before could not be written */
  add(entry: ReportEntry): void {
    if (this.#failure) throw this.#failure;
    this.#waiting += this.#layout.write(entry, this.#isFirst);
    this.#isFirst = false;
    if (this.#waiting.length >= pieceLength) this.#write();
  }

  /** Resolves when every piece is written: no more rows are to be begun before. */
  room(): Promise<void> {
    return this.#writing;
  }

  /**
   * Gives the report its name.
   *
   * @throws {Failure} when it could not be written; the one that stood there before is left
   */
  async finish(): Promise<void> {
    this.#waiting += this.#layout.end;
    this.#write();
    await this.#writing;
    if (this.#failure) throw this.#failure;
    await this.#file.finish();
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    await this.#writing;
    await this.#file.discard();
  }

  #write(): void {
    const piece = this.#waiting;
    this.#waiting = "";
    this.#writing = this.#writing
      .then(() => this.#file.append(piece))
      .catch((error) => {
        this.#failure ??= error as Failure;
      });
  }
}
