import { randomBytes } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { KeyTable } from "../key-table/key-table.ts";
import { JournalError, journalError, systemRefused } from "./journal-error.ts";
import { JournalFile, putAside, syncFolderOf } from "./journal-file.ts";
import type { JournalHeader } from "./journal-header.ts";
import { type Lock, LockHeld, takeLock } from "./lock.ts";
import { type JournalParts, noInput, RunningJournal } from "./running-journal.ts";

export type { JobState, RunningJournal as Journal } from "./running-journal.ts";

/** What a journal is opened with. */
export interface JournalOptions {
  /** The journal's path. Its folder is made where it is missing. */
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
  const { path } = options;
  const opened: { lock?: Lock; file?: JournalFile } = {};
  try {
    const place = await resolveJournalPath(path);
    const lock = await takeLock(`${place}.lock`);
    opened.lock = lock;
    const open = async () => {
      const file = await JournalFile.open(place);
      if (!file)
        throw journalError(path, "cannot be opened: what stands there is no file; name another path");
      opened.file = file;
      return file;
    };
    const { file, ...read } = await resume(options, place, open);
    const write = async (lines: string) => {
      await options.beforeLines?.();
      try {
        if (!(await lock.isOurs())) throw journalError(path, takenOver);
        await file.append(Buffer.from(lines, "latin1"));
      } catch (error) {
        throw error instanceof JournalError ? error : systemRefused(path, "written", error);
      }
    };
    const closedError = () => journalError(path, "is closed, and takes no more lines");
    return new RunningJournal({ ...read, lock, file, write, closedError });
  } catch (error) {
    await opened.file?.close().catch(() => {});
    await opened.lock?.release();
    if (error instanceof LockHeld) throw journalError(path, inUse(error, path));
    throw error instanceof JournalError ? error : systemRefused(path, "opened", error);
  }
}

/** What was read of a journal. */
type Resumed = Omit<JournalParts, "lock" | "write" | "closedError">;

async function resume(
  { path, run, fresh }: JournalOptions,
  place: string,
  open: () => Promise<JournalFile>,
): Promise<Resumed> {
  const file = await open();
  const beginning = await file.readBeginning().catch((cause) => {
    throw systemRefused(path, "read", cause);
  });
  const { kind } = beginning;
  if (kind === "foreign") throw journalError(path, refusals.foreign);
  if (kind === "nothing") return begin(path, run, place, file, undefined);
  if (fresh) {
    await file.close();
    await putAside(place);
    return begin(path, run, place, await open(), kind === "header" ? beginning.header.salt : undefined);
  }
  if (kind !== "header") throw journalError(path, refusals[kind]);
  const differing = differencesOf(beginning.header.run, run);
  const { salt } = beginning.header;
  const table = new KeyTable();
  let reopenedCount = 0;
  const { damagedLines } = await file
    .readLines((record) => {
      const known = table.find(record);
      if (known !== -1 && table.hasInput(known, noInput)) reopenedCount--;
      const place = known === -1 ? table.add(record) : known;
      table.setInput(place, record);
      if (table.hasInput(place, noInput)) reopenedCount++;
    })
    .catch((cause) => {
      throw systemRefused(path, "read", cause);
    });
  if (differing.length > 0) {
    if (table.size + damagedLines > 0) throw journalError(path, ofAnotherRun(differing));
    // That run has finished nothing: there is nothing to be kept from this one.
    await file.close();
    await putAside(place);
    return begin(path, run, place, await open(), salt);
  }
  return { file, table, reopenedCount, salt, saltBefore: salt, damagedLines };
}

async function begin(
  path: string,
  run: JournalHeader["run"],
  place: string,
  file: JournalFile,
  saltBefore: string | undefined,
): Promise<Resumed> {
  const salt = randomBytes(16).toString("base64url");
  await file.begin({ salt, run }).catch((cause) => {
    throw systemRefused(path, "written", cause);
  });
  await syncFolderOf(place);
  return { file, table: new KeyTable(), reopenedCount: 0, salt, saltBefore, damagedLines: 0 };
}

/** The file's own path, links followed: under two names a journal has one lock. Makes its folder. */
async function resolveJournalPath(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  return realpath(path).catch(async (error) => {
    if (error.code !== "ENOENT") throw error;
    return join(await realpath(dirname(path)), basename(path));
  });
}

const startOver = "or start over with `fresh`, which puts this one aside";
const takenOver =
  "was taken over by another run, because this one gave no sign of life for long: let that one end, then start again";
const refusals = {
  foreign: "is none: the file there is something else, and is left as it is; name another path",
  damaged: `cannot be read: its first line is damaged; restore it from a copy, ${startOver}`,
  newer: `cannot be read: a newer version of template-pdf began it; use that, ${startOver}`,
};

function inUse({ holder, touchedAgoMs, waitMs }: LockHeld, path: string): string {
  const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
  const who = holder
    ? `process ${holder.pid} on host ${JSON.stringify(holder.host)}`
    : `its lock ${JSON.stringify(`${path}.lock`)} tells not by whom`;
  const next = "wait until that has ended, or name another journal";
  if (touchedAgoMs === undefined || waitMs === undefined) return `is in use by another run (${who}): ${next}`;
  const gone = `if it is gone already, start again in ${seconds(waitMs)}`;
  return `is in use by another run (${who}; last sign of life ${seconds(touchedAgoMs)} ago): ${next}; ${gone}`;
}

type Run = JournalHeader["run"];

/** How two runs differ, member by member. */
function differencesOf(before: Run, now: Run): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const told = (run: Run, name: string) =>
    Object.hasOwn(run, name) ? quoted(run[name] as string) : "not set";
  return names
    .filter((name) => told(before, name) !== told(now, name) || before[name] !== now[name])
    .map((name) => `${name} was ${told(before, name)} and is now ${told(now, name)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

function ofAnotherRun(differing: readonly string[]): string {
  return `belongs to another run: ${differing.join(", ")}; name another journal, ${startOver}`;
}
