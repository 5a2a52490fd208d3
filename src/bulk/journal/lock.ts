import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, rename, unlink, writeFile } from "node:fs/promises";
import { clearInterval, setInterval } from "node:timers";
import { ignoreMissing, privateMode, renamePatiently } from "../../files/file-system.ts";
import { openFile, readToEnd } from "../../files/read-file.ts";
import { PathRefusal } from "../../files/system-errors.ts";
import { isRunning, type LockHolder, parseHolder, thisProcess } from "./lock-holder.ts";

/** The interval at which a run touches its lock. */
const touchMs = 5_000;
/** After this time, the lock is touched again before it is trusted, because this process may have been suspended. */
const trustMs = 10_000;
/** A lock whose process cannot be checked counts as stale after this time without a touch. */
const staleMs = 30_000;
/** The maximum number of lost races before another cause is assumed, such as a lock that is a broken link. */
const maxTries = 100;
/** The maximum size of a lock file in bytes: far more than a holder takes. */
const maxLockBytes = 64 * 1024;

/** Another run holds the lock. The message follows the name of the locked file. */
export class LockHeld extends Error {
  /**
   * @param holder - the holder; missing if the lock file cannot be read
   * @param touchedAgoMs - the time since the last touch; missing if the process is known to be running
   */
  constructor(path: string, holder: LockHolder | undefined, touchedAgoMs?: number) {
    const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
    const who = holder
      ? `process ${holder.pid} on host ${JSON.stringify(holder.host)}`
      : `its lock ${JSON.stringify(path)} is unreadable`;
    const isSeen = touchedAgoMs === undefined;
    const sign = isSeen ? "" : `; last active ${seconds(touchedAgoMs)} ago`;
    const gone = isSeen
      ? ""
      : `. If that run has already ended, start again in ${seconds(staleMs - touchedAgoMs)}`;
    const next = `Wait until that run ends, or use another journal${gone}`;
    super(`is in use by another run (${who}${sign}). ${next}`);
  }
}

/** A lock file that this process holds. */
export class Lock {
  readonly #path: string;
  readonly #text: string;
  readonly #timer: NodeJS.Timeout;
  #touchedAt = Date.now();
  #isLost = false;

  constructor(path: string, text: string) {
    this.#path = path;
    this.#text = text;
    // If the lock cannot be touched now, the next attempt may succeed.
    this.#timer = setInterval(() => this.#touch().catch(() => {}), touchMs);
    this.#timer.unref();
  }

  /** Whether this run still holds the lock. Another run may take it over if this process is suspended for long. */
  async isOurs(): Promise<boolean> {
    if (!this.#isLost && Date.now() - this.#touchedAt > trustMs) await this.#touch();
    return !this.#isLost;
  }

  /** Releases the lock if this run still holds it. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const found = await look(this.#path).catch(() => undefined);
    // If the lock cannot be removed, the next run takes it over after this process ends.
    if (found?.text === this.#text) await unlink(this.#path).catch(() => {});
  }

  /** Writes the content of the lock again, so that its time comes from the file system's clock. */
  async #touch(): Promise<void> {
    const handle = await openFile(this.#path, constants.O_RDWR).catch(ignoreReplaced);
    try {
      const text = handle && (await readToEnd(handle, maxLockBytes).catch(ignoreReplaced));
      this.#isLost ||= text?.toString() !== this.#text;
      if (this.#isLost) return;
      await handle?.write(this.#text, 0);
      this.#touchedAt = Date.now();
    } finally {
      await handle?.close();
    }
  }
}

/** A lock that is not taken yet. Its content is in a separate file. */
interface Draft {
  readonly path: string;
  readonly text: string;
}

/** Takes a lock, or takes over a stale one. Throws {@link LockHeld} if another run holds it. */
export async function takeLock(path: string): Promise<Lock> {
  const token = randomBytes(6).toString("hex");
  const draft = { path: `${path}.${token}`, text: `${JSON.stringify(thisProcess(token))}\n` };
  try {
    await writeFile(draft.path, draft.text, { flag: "wx", mode: privateMode });
    for (let tries = 0; tries < maxTries; tries++) {
      if ((await create(path, draft)) || (await takeOver(path, draft))) return new Lock(path, draft.text);
    }
    throw new LockHeld(path, undefined);
  } catch (error) {
    if (!(error instanceof PathRefusal)) throw error;
    throw new PathRefusal(`its lock ${JSON.stringify(path)} is unusable, because ${error.message}`, {
      cause: error,
    });
  } finally {
    await unlink(draft.path).catch(() => {});
  }
}

/** Creates a lock file with its content atomically. Returns `false` if one already exists. */
async function create(path: string, draft: Draft): Promise<boolean> {
  try {
    await link(draft.path, path).catch(async (error) => {
      if (error.code === "EEXIST") throw error;
      // Not every file system supports links.
      await writeFile(path, draft.text, { flag: "wx", mode: privateMode });
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Replaces a stale lock. Returns `false` if another run has replaced it.
 *
 * All runs that find the same stale lock create a file with the same name. The one that succeeds renames it to the lock.
 */
async function takeOver(path: string, draft: Draft): Promise<boolean> {
  const found = await look(path);
  if (!found) return false;
  await refuseWhileHeld(path, found, draft);
  const turn = `${path}.${found.holder?.token ?? "unreadable"}`;
  if (!(await create(turn, draft))) {
    const other = await look(turn);
    // The stale lock was already replaced, so this run does not get it. The next check names the new holder.
    if (!other || (await look(path))?.text !== found.text) return false;
    await refuseWhileHeld(path, other, draft);
    // A run was killed at this point.
    await unlink(turn).catch(ignoreMissing);
    return false;
  }
  return renamePatiently(async () => {
    // Checked on each try, because the original run may be active again.
    const now = await look(path);
    if (now?.text !== found.text) return false;
    await refuseWhileHeld(path, now, draft);
    await rename(turn, path).catch(ignoreMissing);
    // A run that considered our lock stale may have replaced it.
    return (await look(path))?.text === draft.text;
  }).finally(() => unlink(turn).catch(() => {}));
}

/** @throws {LockHeld} unless the lock is stale */
async function refuseWhileHeld(path: string, { holder, touchedMs }: Found, draft: Draft): Promise<void> {
  const running = holder && isRunning(holder);
  if (running) throw new LockHeld(path, holder);
  if (running === false) return;
  // Both times come from the file system's clock, which may differ from this machine's.
  const now = await look(draft.path);
  const touchedAgoMs = (now?.touchedMs ?? 0) - touchedMs;
  if (touchedAgoMs < staleMs) throw new LockHeld(path, holder, Math.max(0, touchedAgoMs));
}

/** A lock of another run. */
interface Found {
  readonly text: string;
  /** Missing if the lock file cannot be read. */
  readonly holder: LockHolder | undefined;
  /** The time of the last touch, according to the file system's clock. */
  readonly touchedMs: number;
}

async function look(path: string): Promise<Found | undefined> {
  const handle = await openFile(path).catch(ignoreMissing);
  try {
    if (!handle) return undefined;
    const text = (await readToEnd(handle, maxLockBytes)).toString();
    return { text, holder: parseHolder(text), touchedMs: (await handle.stat()).mtimeMs };
  } finally {
    await handle?.close();
  }
}

/** Returns `undefined` for a missing file, or something that is not a lock file. */
function ignoreReplaced(error: NodeJS.ErrnoException): undefined {
  if (!(error instanceof PathRefusal)) ignoreMissing(error);
}
