import { dirname, resolve } from "node:path";
import { isInstance, readForeign } from "../../errors/foreign-values.ts";
import { refuseDanglingLink } from "../../files/follow-links.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { realPathOf } from "../folder/document-paths.ts";
import { JournalError, journalError, systemRefused } from "./journal-error.ts";
import { JournalFile } from "./journal-file.ts";
import { encodeLine } from "./journal-format.ts";
import { hashJob, hashWords, idOf, type KeyTable, newRecord } from "./key-table.ts";
import { LineGroups } from "./line-groups.ts";
import { type Lock, LockHeld, takeLock } from "./lock.ts";
import { type ResumedJournal, type ResumeOptions, resumeJournal } from "./resume.ts";

/** The options for opening a journal. */
export interface JournalOptions extends ResumeOptions {
  /** Makes the documents of a group of lines durable. Called before the lines are written. */
  readonly beforeLines?: (() => Promise<void>) | undefined;
}

/**
 * The state of a job. An earlier run finished a `"changed"` job with a different input, and a `"finished"` job with the same
 * input. `sameKeyAs` is the index of another job in this run with the same key.
 */
export type JobState = "new" | "changed" | "finished" | { readonly sameKeyAs: number };

/** An entered job and its position in the key table. */
export interface Entry {
  readonly key: string;
  readonly state: JobState;
  readonly place: number;
}

/**
 * Opens or creates the journal of a run. Creates its folder if it is missing.
 *
 * @throws {JournalError} if the journal is in use, belongs to another run, is not a journal, or cannot be
 * read or written
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path } = options;
  let lock: Lock | undefined;
  let file: JournalFile | undefined;
  try {
    const absolute = resolve(path);
    await makeFolders(dirname(absolute));
    // Links are followed, so that a journal with two names has one lock.
    const ownPath = realPathOf(absolute);
    lock = await takeLock(`${ownPath}.lock`);
    file = await JournalFile.open(ownPath).catch(async (error) => {
      if (readForeign(error, "code") === "ENOENT") await refuseDanglingLink(absolute);
      throw error;
    });
    if (!file) throw journalError(path, "cannot be opened, because it is not a file. Use another path");
    return new Journal(options, lock, file, await resumeJournal(options, file));
  } catch (error) {
    await file?.close().catch(() => {});
    await lock?.release();
    if (isInstance(error, LockHeld)) throw journalError(path, error.message);
    throw isInstance(error, JournalError) ? error : systemRefused(path, "opened", error);
  }
}

/** The input of a reopened job. No hash is equal to it. */
const noInput = newRecord();

const takenOver =
  "was taken over by another run, because this run was unresponsive for too long. Wait until that run ends, then start again";

/** The journal of a run, which records finished jobs as hashes. It holds its lock until it is closed. */
export class Journal {
  // See `BulkProgress`.
  readonly finishedBefore: number;
  readonly damagedLines: number;
  // See `SinkRun`.
  readonly id: string;
  readonly idBefore: string | undefined;
  readonly #options: JournalOptions;
  readonly #lock: Lock;
  readonly #file: JournalFile;
  readonly #table: KeyTable;
  readonly #salt: string;
  readonly #groups = new LineGroups((lines) => this.#write(lines));
  readonly #record = newRecord();
  #enteredOfBefore = 0;

  constructor(options: JournalOptions, lock: Lock, file: JournalFile, resumed: ResumedJournal) {
    const { table, damagedLines, salt, saltBefore } = resumed;
    this.#options = options;
    this.#lock = lock;
    this.#file = file;
    this.#table = table;
    this.#salt = salt;
    this.finishedBefore = table.size - table.countWithInput(noInput);
    this.damagedLines = damagedLines;
    this.id = idOf(salt);
    this.idBefore = saltBefore === undefined ? undefined : idOf(saltBefore);
  }

  /** The number of jobs that earlier runs finished and that were not entered in this run. */
  get notEntered(): number {
    return this.finishedBefore - this.#enteredOfBefore;
  }

  /**
   * Enters a job and returns its state.
   *
   * @param input - the job's input as a canonical string
   * @param index - the index of the job, less than 2 ** 32 - 1. It appears in the message if a later job has the same key
   */
  enter(key: string, input: string, index: number): Entry {
    const table = this.#table;
    hashJob(this.#salt, key, input, this.#record);
    const known = table.find(this.#record);
    const place = known === -1 ? table.add(this.#record) : known;
    const sameKeyAs = table.indexAt(place);
    if (sameKeyAs !== undefined) return { key, state: { sameKeyAs }, place };
    table.setIndex(place, index);
    if (known === -1) return { key, state: "new", place };
    if (!table.hasInput(place, noInput)) this.#enteredOfBefore++;
    if (table.hasInput(place, this.#record)) return { key, state: "finished", place };
    // The old input is no longer needed: `finish` needs this one.
    table.setInput(place, this.#record);
    return { key, state: "changed", place };
  }

  /**
   * Records that a new or changed job is finished. Resolves when its line is synced.
   *
   * @throws {JournalError} if this fails or the journal is closed. In that case, the journal accepts no more lines
   * @throws whatever error `beforeLines` rejects with
   */
  finish({ place }: Entry): Promise<void> {
    return this.#groups.add(encodeLine(this.#table.recordAt(place)));
  }

  /**
   * Records that the document of a changed job may be replaced from now on. Until the job is finished, no input matches its
   * document. After a crash, not even the earlier input does. Resolves and throws like `finish`.
   */
  reopen({ place }: Entry): Promise<void> {
    const record = this.#table.recordAt(place).slice();
    return this.#groups.add(encodeLine(record.fill(0, hashWords)));
  }

  /** Writes the remaining lines and releases the lock. `finish` has already reported any failures. */
  async close(): Promise<void> {
    await this.#groups.end(journalError(this.#options.path, "is closed"));
    // All lines are synced, so errors from here on are ignored.
    await this.#file.close().catch(() => {});
    await this.#lock.release();
  }

  async #write(lines: string): Promise<void> {
    const { path, beforeLines } = this.#options;
    await beforeLines?.();
    try {
      if (!(await this.#lock.isOurs())) throw journalError(path, takenOver);
      await this.#file.append(Buffer.from(lines, "latin1"));
    } catch (error) {
      throw isInstance(error, JournalError) ? error : systemRefused(path, "written", error);
    }
  }
}
