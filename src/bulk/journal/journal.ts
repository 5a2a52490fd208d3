import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { realPathOf } from "../folder/document-paths.ts";
import { JournalError, journalError, systemRefused } from "./journal-error.ts";
import { JournalFile } from "./journal-file.ts";
import { encodeLine, type JournalHeader } from "./journal-format.ts";
import { hashJob, hashWords, idOf, KeyTable, newRecord } from "./key-table.ts";
import { LineGroups } from "./line-groups.ts";
import { type Lock, LockHeld, takeLock } from "./lock.ts";

/** What a journal is opened with. */
export interface JournalOptions {
  readonly path: string;
  /** What run it belongs to: names and texts, told in messages, so no secrets. A journal begun with others is refused. */
  readonly run: Readonly<Record<string, string>>;
  /** Whether to start over: an existing journal is then put aside as `<path>.old`, in the stead of an older one. */
  readonly fresh: boolean;
  /** Makes durable what the lines of a group speak of; called before they are written. */
  readonly beforeLines?: (() => Promise<void>) | undefined;
}

/**
 * What is known of a job: nothing, that earlier runs finished it with another input, or with this one; or that a job
 * of this run has the same key.
 */
export type JobState = "new" | "changed" | "finished" | { readonly sameKeyAs: number };

/** A job that was entered, and its place in the table of keys. */
export interface Entry {
  readonly key: string;
  readonly state: JobState;
  readonly place: number;
}

/**
 * Opens the journal of a run, or begins it; creates its folder if it is missing.
 *
 * @throws {JournalError} when it is in use, of another run, no journal, or cannot be read or written
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path } = options;
  let lock: Lock | undefined;
  let file: JournalFile | undefined;
  try {
    const absolute = resolve(path);
    await mkdir(dirname(absolute), { recursive: true });
    // Links followed: under two names a journal has one lock.
    const ownPath = realPathOf(absolute);
    lock = await takeLock(`${ownPath}.lock`);
    file = await JournalFile.open(ownPath);
    if (!file) throw journalError(path, "cannot be opened: what stands there is no file; name another path");
    return new Journal(options, lock, file, await resume(options, file));
  } catch (error) {
    await file?.close().catch(() => {});
    await lock?.release();
    if (error instanceof LockHeld) throw journalError(path, error.message);
    throw error instanceof JournalError ? error : systemRefused(path, "opened", error);
  }
}

/** What was read of a journal. */
interface Resumed {
  /** The jobs that earlier runs finished; some of them may have been reopened since. */
  readonly table: KeyTable;
  readonly salt: string;
  /** The salt of the journal that stood there before, be it this one. */
  readonly saltBefore: string | undefined;
  readonly damagedLines: number;
}

async function resume({ path, run, fresh }: JournalOptions, file: JournalFile): Promise<Resumed> {
  const beginning = await file.readBeginning();
  const { kind } = beginning;
  const isUnreadable = kind === "damaged" || kind === "otherVersion";
  if (kind === "foreign" || (isUnreadable && !fresh)) throw journalError(path, refusals[kind]);
  const header = kind === "header" ? beginning.header : undefined;
  const table = new KeyTable();
  if (header && !fresh) {
    const { damagedLines } = await file.readLines((record) => table.put(record));
    const differing = differencesOf(header.run, run);
    if (differing.length === 0) return { table, salt: header.salt, saltBefore: header.salt, damagedLines };
    if (table.size + damagedLines > 0) {
      const what = `belongs to another run: ${differing.join(", ")}`;
      throw journalError(path, `${what}; name another journal, ${startOver}`);
    }
    // That run has finished nothing: there is nothing to be kept from this one.
  }
  if (kind !== "nothing") await file.putAside();
  const salt = randomBytes(16).toString("base64url");
  await file.begin({ salt, run });
  return { table, salt, saltBefore: header?.salt, damagedLines: 0 };
}

const startOver = "or start over with `fresh`, which puts this one aside";
const refusals = {
  foreign: "is none: the file there is something else, and is left as it is; name another path",
  damaged: `cannot be read: its first line is damaged; restore it from a copy, ${startOver}`,
  otherVersion: `cannot be read: another version of template-pdf began it; use that, ${startOver}`,
};

/** How two runs differ, property by property. */
function differencesOf(before: JournalHeader["run"], now: JournalHeader["run"]): string[] {
  return Object.keys({ ...before, ...now })
    .filter((name) => before[name] !== now[name])
    .map((name) => `${name} was ${quoted(before[name])} and is now ${quoted(now[name])}`);
}

function quoted(text: string | undefined): string {
  if (text === undefined) return "not set";
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** Stands for the input of a job that was reopened: no hash is that. */
const noInput = newRecord();

const takenOver =
  "was taken over by another run, because this one gave no sign of life for long: let that one end, then start again";

/** The journal of a run: which jobs are finished. It holds their hashes only, and its lock until it is closed. */
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

  constructor(options: JournalOptions, lock: Lock, file: JournalFile, resumed: Resumed) {
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

  /** How many jobs that earlier runs finished have not been entered in this run. */
  get notEntered(): number {
    return this.finishedBefore - this.#enteredOfBefore;
  }

  /**
   * Enters a job, and tells what is known of it.
   *
   * @param input - all that decides what its document looks like, as a canonical text
   * @param index - the job's own, less than 2 ** 32 - 1; told when a later job of this run has the same key
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
    // Nobody asks for the old input again: `finish` needs this one.
    table.setInput(place, this.#record);
    return { key, state: "changed", place };
  }

  /**
   * Records that a job is finished, which was new or changed. Resolves when its line is synced.
   *
   * @throws {JournalError} when it could not be, or the journal is closed; it then takes no more
   * @throws what `beforeLines` throws
   */
  finish({ place }: Entry): Promise<void> {
    return this.#groups.add(encodeLine(this.#table.recordAt(place)));
  }

  /**
   * Records that the document of a job which has changed may be replaced from now on. Until it is finished, no input is known to be that
   * of its document: also not the earlier one, if it comes back after a crash. Resolves and throws as `finish`.
   */
  reopen({ place }: Entry): Promise<void> {
    const record = this.#table.recordAt(place).slice();
    return this.#groups.add(encodeLine(record.fill(0, hashWords)));
  }

  /** Writes what is still to be written, and gives the lock back. What could not be written was told by `finish`. */
  async close(): Promise<void> {
    await this.#groups.end(journalError(this.#options.path, "is closed, and takes no more lines"));
    // All lines are synced: what a file system says now changes nothing.
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
      throw error instanceof JournalError ? error : systemRefused(path, "written", error);
    }
  }
}
