import { randomBytes } from "node:crypto";
import { journalError } from "./journal-error.ts";
import type { JournalFile } from "./journal-file.ts";
import type { JournalHeader } from "./journal-format.ts";
import { KeyTable } from "./key-table.ts";

/** How a run uses its journal. */
export interface ResumeOptions {
  readonly path: string;
  /**
   * The run that the journal belongs to, as names and descriptions. They appear in messages, so they must not contain secrets. A
   * journal from another run is rejected.
   */
  readonly run: Readonly<Record<string, string>>;
  /** Whether to start over. An existing journal is renamed to `<path>.old`, replacing an older one. */
  readonly fresh: boolean;
}

/** The content of an opened journal. */
export interface ResumedJournal {
  /** The jobs that earlier runs finished. Some may have been reopened since. */
  readonly table: KeyTable;
  readonly salt: string;
  /** The salt of the previous journal, which may be this one. */
  readonly saltBefore: string | undefined;
  readonly damagedLines: number;
}

/**
 * Reads the jobs that earlier runs finished, and begins a new journal if there are none or `fresh` is set.
 *
 * @throws {JournalError} if the file is not a journal of this run
 */
export async function resumeJournal(
  { path, run, fresh }: ResumeOptions,
  file: JournalFile,
): Promise<ResumedJournal> {
  const beginning = await file.readBeginning();
  const { kind } = beginning;
  if (kind !== "foreign") await file.makePrivate();
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
      throw journalError(path, `${what}. Use another journal, ${startOver}`);
    }
    // That run has not finished any job, so nothing is lost.
  }
  if (kind !== "nothing") await file.putAside();
  const salt = randomBytes(16).toString("base64url");
  await file.begin({ salt, run });
  return { table, salt, saltBefore: header?.salt, damagedLines: 0 };
}

const startOver = "or start over with `fresh`, which renames this journal";
const refusals = {
  foreign: "is not a journal, so the file was left unchanged. Use another path",
  damaged: `cannot be read, because its first line is damaged. Restore it from a copy, ${startOver}`,
  otherVersion: `cannot be read, because a different version of template-pdf created it. Use that version, ${startOver}`,
};

/** Describes the differences between two runs. */
function differencesOf(before: JournalHeader["run"], now: JournalHeader["run"]): string[] {
  return Object.keys({ ...before, ...now })
    .filter((name) => before[name] !== now[name])
    .map((name) => `${name} was ${quoted(before[name])} and is now ${quoted(now[name])}`);
}

function quoted(text: string | undefined): string {
  if (text === undefined) return "not set";
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
