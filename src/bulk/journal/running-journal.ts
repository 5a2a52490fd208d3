import type { KeyTable } from "../key-table/key-table.ts";
import { hashJob, hashWords, idOf, type JobRecord, newRecord } from "../key-table/salted-hash.ts";
import { JournalError, journalError, systemRefused } from "./journal-error.ts";
import type { JournalFile } from "./journal-file.ts";
import { encodeLine } from "./journal-lines.ts";
import { LineGroups } from "./line-groups.ts";
import type { Lock } from "./lock.ts";

/**
 * What is known of a job: nothing, that earlier runs finished it with another input, or with this one; or that a job
 * of this run has the same key.
 */
export type JobState = "new" | "changed" | "finished" | { readonly sameKeyAs: number };

/** A job that was entered. */
export interface Entry {
  readonly state: JobState;
  /** Where the journal keeps it. */
  readonly place: number;
}

/** What a journal consists of, once it was read. */
export interface JournalParts {
  readonly path: string;
  readonly lock: Lock;
  readonly file: JournalFile;
  /** The jobs that earlier runs finished; some of them may have been reopened since. */
  readonly table: KeyTable;
  readonly salt: string;
  /** The salt of the journal that stood there before, be it this one. */
  readonly saltBefore: string | undefined;
  readonly damagedLines: number;
  readonly beforeLines: (() => Promise<void>) | undefined;
}

/** Stands for the input of a job that was reopened: no hash is that. */
const noInput: JobRecord = newRecord();

const takenOver =
  "was taken over by another run, because this one gave no sign of life for long: let that one end, then start again";

/** The journal of a run: which jobs are finished. It holds their hashes only, and its lock until it is closed. */
export class RunningJournal {
  /** How many jobs earlier runs finished. */
  readonly finishedBefore: number;
  /** How many lines could not be read, and are ignored; their jobs are done again. */
  readonly damagedLines: number;
  /** Names the journal: while it is open, no other run has it. */
  readonly id: string;
  /** Names the journal that stood there before, be it this one; `undefined` where there was none. */
  readonly idBefore: string | undefined;
  readonly #parts: JournalParts;
  readonly #groups = new LineGroups((lines) => this.#write(lines));
  readonly #record = newRecord();
  #enteredOfBefore = 0;

  /** @param parts - see `openJournal` */
  constructor(parts: JournalParts) {
    const { table, damagedLines, salt, saltBefore } = parts;
    this.#parts = parts;
    this.finishedBefore = table.size - table.countWithInput(noInput);
    this.damagedLines = damagedLines;
    this.id = idOf(salt);
    this.idBefore = saltBefore === undefined ? undefined : idOf(saltBefore);
  }

  /** How many jobs that earlier runs finished have not been entered in this run. */
  get notEntered(): number {
    return this.finishedBefore - this.#enteredOfBefore;
  }

  /**
   * Enters a job, and tells what is known of it.
   *
   * @param key - what identifies it
   * @param input - all that decides what its document looks like, as a canonical text
   * @param index - the job's own, less than 2 ** 32 - 1; told when a later job of this run has the same key
   */
  enter(key: string, input: string, index: number): Entry {
    const { table, salt } = this.#parts;
    hashJob(salt, key, input, this.#record);
    const known = table.find(this.#record);
    const place = known === -1 ? table.put(this.#record) : known;
    const sameKeyAs = table.indexAt(place);
    if (sameKeyAs !== undefined) return { state: { sameKeyAs }, place };
    table.setIndex(place, index);
    if (known === -1) return { state: "new", place };
    if (!table.hasInput(place, noInput)) this.#enteredOfBefore++;
    if (table.hasInput(place, this.#record)) return { state: "finished", place };
    // Nobody asks for the old input again: `finish` needs this one.
    table.setInput(place, this.#record);
    return { state: "changed", place };
  }

  /**
   * Records that a job is finished, which was new or changed.
   *
   * @returns resolves when its line is written and synced
   * @throws {JournalError} when it could not be, or the journal is closed; it then takes no more
   * @throws what `beforeLines` throws
   */
  finish({ place }: Entry): Promise<void> {
    return this.#groups.add(encodeLine(this.#parts.table.recordAt(place)));
  }

  /**
   * Records that the document of a job which has changed may be replaced from now on. Until it is finished, no input is known to be that
   * of its document: also not the earlier one, if it comes back after a crash.
   *
   * @returns resolves when its line is written and synced
   * @throws {JournalError} as `finish`
   */
  reopen({ place }: Entry): Promise<void> {
    const record = this.#parts.table.recordAt(place).slice();
    return this.#groups.add(encodeLine(record.fill(0, hashWords)));
  }

  /** Writes what is still to be written, and gives the lock back. What could not be written was told by `finish`. */
  async close(): Promise<void> {
    const { path, file, lock } = this.#parts;
    await this.#groups.end(journalError(path, "is closed, and takes no more lines"));
    // All lines are synced: what a file system says now changes nothing.
    await file.close().catch(() => {});
    await lock.release();
  }

  async #write(lines: string): Promise<void> {
    const { path, lock, file, beforeLines } = this.#parts;
    await beforeLines?.();
    try {
      if (!(await lock.isOurs())) throw journalError(path, takenOver);
      await file.append(Buffer.from(lines, "latin1"));
    } catch (error) {
      throw error instanceof JournalError ? error : systemRefused(path, "written", error);
    }
  }
}
