import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { realPathOf } from "../folder/document-paths.ts";
import { KeyTable } from "../key-table/key-table.ts";
import { JournalError, journalError, systemRefused } from "./journal-error.ts";
import { JournalFile } from "./journal-file.ts";
import type { JournalHeader } from "./journal-header.ts";
import { type Lock, LockHeld, takeLock } from "./lock.ts";
import { type JournalParts, RunningJournal } from "./running-journal.ts";

/** What a journal is opened with. */
export interface JournalOptions {
  /** The journal's path. Its folder is created if it is missing. */
  readonly path: string;
  /** What run it belongs to: names and texts, told in messages, so no secrets. A journal begun with others is refused. */
  readonly run: Readonly<Record<string, string>>;
  /** Whether to start over: an existing journal is then put aside as `<path>.old`, in the stead of an older one. */
  readonly fresh: boolean;
  /** Makes durable what the lines of a group speak of; called before they are written. */
  readonly beforeLines?: (() => Promise<void>) | undefined;
}

/**
 * Opens the journal of a run, or begins it.
 *
 * @throws {JournalError} when it is in use, of another run, no journal, or cannot be read or written
 */
export async function openJournal(options: JournalOptions): Promise<RunningJournal> {
  const { path, beforeLines } = options;
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
    return new RunningJournal({ path, beforeLines, lock, file, ...(await resume(options, file)) });
  } catch (error) {
    await file?.close().catch(() => {});
    await lock?.release();
    if (error instanceof LockHeld) throw journalError(path, error.message);
    throw error instanceof JournalError ? error : systemRefused(path, "opened", error);
  }
}

/** What was read of a journal. */
type Resumed = Pick<JournalParts, "table" | "salt" | "saltBefore" | "damagedLines">;

async function resume({ path, run, fresh }: JournalOptions, file: JournalFile): Promise<Resumed> {
  const beginning = await file.readBeginning();
  const { kind } = beginning;
  if (kind === "foreign") throw journalError(path, refusals.foreign);
  if (kind === "nothing") return begin(file, run, undefined);
  const saltBefore = kind === "header" ? beginning.header.salt : undefined;
  if (fresh) {
    await file.putAside();
    return begin(file, run, saltBefore);
  }
  if (kind !== "header") throw journalError(path, refusals[kind]);
  const table = new KeyTable();
  const { damagedLines } = await file.readLines((record) => table.put(record));
  const differing = differencesOf(beginning.header.run, run);
  if (differing.length === 0) return { table, salt: beginning.header.salt, saltBefore, damagedLines };
  if (table.size + damagedLines > 0) {
    const what = `belongs to another run: ${differing.join(", ")}`;
    throw journalError(path, `${what}; name another journal, ${startOver}`);
  }
  // That run has finished nothing: there is nothing to be kept from this one.
  await file.putAside();
  return begin(file, run, saltBefore);
}

async function begin(
  file: JournalFile,
  run: JournalHeader["run"],
  saltBefore: string | undefined,
): Promise<Resumed> {
  const salt = randomBytes(16).toString("base64url");
  await file.begin({ salt, run });
  return { table: new KeyTable(), salt, saltBefore, damagedLines: 0 };
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
