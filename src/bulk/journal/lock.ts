import { randomBytes } from "node:crypto";
import { link, open, rename, unlink, writeFile } from "node:fs/promises";
import { clearInterval, setInterval } from "node:timers";
import { renamePatiently } from "../../files/file-system.ts";
import { isRunning, type LockHolder, parseHolder, thisProcess } from "./lock-holder.ts";

/** How often a run touches its lock. */
const touchMs = 5_000;
/** What was touched so long ago is touched again before it is relied on: this process may have slept. */
const trustMs = 10_000;
/** A lock whose process cannot be checked is taken for left behind when it was not touched for so long. */
const staleMs = 30_000;
/** How often another run may be quicker, before something else must be wrong: a lock that is a link to nowhere. */
const maxTries = 100;

/** Another run holds the lock. The message says which, to follow the name of what is locked. */
export class LockHeld extends Error {
  /**
   * @param holder - nothing if its text cannot be read
   * @param touchedAgoMs - nothing if its process was seen running, and that does not matter
   */
  constructor(path: string, holder: LockHolder | undefined, touchedAgoMs?: number) {
    const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
    const who = holder
      ? `process ${holder.pid} on host ${JSON.stringify(holder.host)}`
      : `its lock ${JSON.stringify(path)} tells not by whom`;
    const isSeen = touchedAgoMs === undefined;
    const sign = isSeen ? "" : `; last sign of life ${seconds(touchedAgoMs)} ago`;
    const gone = isSeen ? "" : `; if it is gone already, start again in ${seconds(staleMs - touchedAgoMs)}`;
    const next = `wait until that has ended, or name another journal${gone}`;
    super(`is in use by another run (${who}${sign}): ${next}`);
  }
}

/** A lock file of this process. */
export class Lock {
  readonly #path: string;
  readonly #text: string;
  readonly #timer: NodeJS.Timeout;
  #touchedAt = Date.now();
  #isLost = false;

  constructor(path: string, text: string) {
    this.#path = path;
    this.#text = text;
    // A lock that cannot be touched now may be the next time.
    this.#timer = setInterval(() => this.#touch().catch(() => {}), touchMs);
    this.#timer.unref();
  }

  /** Whether the lock is still this run's: another may take it over when this process sleeps for long. */
  async isOurs(): Promise<boolean> {
    if (!this.#isLost && Date.now() - this.#touchedAt > trustMs) await this.#touch();
    return !this.#isLost;
  }

  /** Gives the lock back, if it is still ours. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const found = await look(this.#path).catch(() => undefined);
    // What cannot be removed is taken over by the next run, once this process is gone.
    if (found?.text === this.#text) await unlink(this.#path).catch(() => {});
  }

  /** Writes the lock's own text again: unlike a time that is set, that leaves the time to the clock of the file system. */
  async #touch(): Promise<void> {
    const handle = await open(this.#path, "r+").catch(ignoreMissing);
    try {
      this.#isLost ||= handle === undefined || (await handle.readFile("utf8")) !== this.#text;
      if (this.#isLost) return;
      await handle?.write(this.#text, 0);
      this.#touchedAt = Date.now();
    } finally {
      await handle?.close();
    }
  }
}

/** A lock that is not taken yet: its text, in a file of its own. */
interface Draft {
  readonly path: string;
  readonly text: string;
}

/** Takes a lock, or takes it over from a run that is gone; throws {@link LockHeld} while another run has it. */
export async function takeLock(path: string): Promise<Lock> {
  const token = randomBytes(6).toString("hex");
  const draft = { path: `${path}.${token}`, text: `${JSON.stringify(thisProcess(token))}\n` };
  try {
    await writeFile(draft.path, draft.text, { flag: "wx" });
    for (let tries = 0; tries < maxTries; tries++) {
      if ((await create(path, draft)) || (await takeOver(path, draft))) return new Lock(path, draft.text);
    }
    throw new LockHeld(path, undefined);
  } finally {
    await unlink(draft.path).catch(() => {});
  }
}

/** Creates a file with the text of a draft in it from the first; false if there is one. */
async function create(path: string, draft: Draft): Promise<boolean> {
  try {
    await link(draft.path, path).catch(async (error) => {
      // Not every file system has links.
      if (error.code !== "EEXIST") await writeFile(path, draft.text, { flag: "wx" });
      else throw error;
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Puts a lock in the stead of one that was left behind; false if there is another by now.
 *
 * All who find the same lock left behind create a file with the same name. The one that succeeds renames it to the lock.
 */
async function takeOver(path: string, draft: Draft): Promise<boolean> {
  const found = await look(path);
  if (!found) return false;
  await refuseWhileHeld(path, found, draft);
  const turn = `${path}.${found.holder?.token ?? "unreadable"}`;
  if (!(await create(turn, draft))) {
    const other = await look(turn);
    // Whoever has the turn for a lock that was replaced since does not get it: the next look names the run that did.
    if (!other || (await look(path))?.text !== found.text) return false;
    await refuseWhileHeld(path, other, draft);
    // It was left behind by a run that was killed right there.
    await unlink(turn).catch(ignoreMissing);
    return false;
  }
  return renamePatiently(async () => {
    // Each time that is tried: who keeps us waiting may be its run, awake again.
    const now = await look(path);
    if (now?.text !== found.text) return false;
    await refuseWhileHeld(path, now, draft);
    await rename(turn, path).catch(ignoreMissing);
    // A run that took ours for left behind may have replaced it.
    return (await look(path))?.text === draft.text;
  }).finally(() => unlink(turn).catch(() => {}));
}

/** @throws {LockHeld} unless the lock was left behind */
async function refuseWhileHeld(path: string, { holder, touchedMs }: Found, draft: Draft): Promise<void> {
  const running = holder && isRunning(holder);
  if (running) throw new LockHeld(path, holder);
  if (running === false) return;
  // Between two times of one clock: that of a file server may be another than ours.
  const now = await look(draft.path);
  const touchedAgoMs = (now?.touchedMs ?? 0) - touchedMs;
  if (touchedAgoMs < staleMs) throw new LockHeld(path, holder, Math.max(0, touchedAgoMs));
}

/** A lock that was found. */
interface Found {
  readonly text: string;
  /** Nothing if the text cannot be read. */
  readonly holder: LockHolder | undefined;
  /** When it was last touched, by the clock of the file system. */
  readonly touchedMs: number;
}

async function look(path: string): Promise<Found | undefined> {
  const handle = await open(path, "r").catch(ignoreMissing);
  try {
    if (!handle) return undefined;
    const text = await handle.readFile("utf8");
    return { text, holder: parseHolder(text), touchedMs: (await handle.stat()).mtimeMs };
  } finally {
    await handle?.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
