import { randomBytes } from "node:crypto";
import { link, open, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { clearInterval, setInterval } from "node:timers";
import { renamePatiently } from "../../files/rename-patiently.ts";
import { isRunning, type LockHolder, parseHolder, thisProcess } from "./lock-holder.ts";

/** How often a run touches its lock. */
const touchMs = 5_000;
/** What was touched so long ago is touched again before it is relied on: this process may have slept. */
const trustMs = 10_000;
/** A lock whose process cannot be asked after is taken for left behind when it was not touched for so long. */
const staleMs = 30_000;
/** How often another run may be quicker, before something else must be wrong: a lock that is a link to nowhere. */
const maxTries = 100;

/** Another run holds the lock. */
export class LockHeld extends Error {
  /** Nothing where its text cannot be read. */
  readonly holder: LockHolder | undefined;
  /** When it was last touched; nothing where its process was seen running, and that is of no matter. */
  readonly touchedAgoMs: number | undefined;

  constructor(holder: LockHolder | undefined, touchedAgoMs?: number) {
    super("Another run holds the lock.");
    this.holder = holder;
    this.touchedAgoMs = touchedAgoMs;
  }

  /** How long until the lock may be taken over, should its run be gone. */
  get waitMs(): number | undefined {
    return this.touchedAgoMs === undefined ? undefined : staleMs - this.touchedAgoMs;
  }
}

/** A lock file of this process. */
export class Lock {
  readonly #path: string;
  readonly #text: string;
  readonly #token: string;
  readonly #timer: NodeJS.Timeout;
  #touchedAt = Date.now();
  #isLost = false;

  constructor(path: string, { text, token }: PendingLock) {
    this.#path = path;
    this.#text = text;
    this.#token = token;
    // A lock that cannot be touched now may be the next time.
    this.#timer = setInterval(() => this.#touch().catch(() => {}), touchMs);
    this.#timer.unref();
  }

  /** Whether the lock is still this run's: another may take it over when this process sleeps for long. */
  async isOurs(): Promise<boolean> {
    if (!this.#isLost && Date.now() - this.#touchedAt > trustMs) await this.#touch();
    return !this.#isLost;
  }

  /** Gives the lock back, where it is still ours. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const found = await look(this.#path).catch(() => undefined);
    // What cannot be removed is taken over by the next run, once this process is gone.
    if (found?.holder?.token === this.#token) await unlink(this.#path).catch(() => {});
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
interface PendingLock {
  readonly path: string;
  readonly text: string;
  readonly token: string;
}

/**
 * Takes a lock, or takes it over from a run that is gone.
 *
 * @throws {LockHeld} while another run has it
 */
export async function takeLock(path: string): Promise<Lock> {
  const token = randomBytes(6).toString("hex");
  const pending = { path: `${path}.${token}`, text: `${JSON.stringify(thisProcess(token))}\n`, token };
  try {
    await writeFile(pending.path, pending.text, { flag: "wx" });
    for (let tries = 0; tries < maxTries; tries++) {
      if ((await create(pending, path)) || (await takeOver(pending, path))) return new Lock(path, pending);
    }
    throw new LockHeld(undefined);
  } finally {
    await unlink(pending.path).catch(() => {});
  }
}

/** Gives the lock its name, with its text in it from the first; false where there is one. */
async function create(pending: PendingLock, path: string): Promise<boolean> {
  try {
    await link(pending.path, path).catch(async (error) => {
      // Not every file system has links.
      if (error.code !== "EEXIST") await writeFile(path, pending.text, { flag: "wx" });
      else throw error;
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Puts a lock in the stead of one that was left behind; false where there is another by now.
 *
 * Whoever finds the same lock left behind needs the lock of taking it over, and then looks again. So only one replaces
 * it, and nobody a lock that came after it.
 */
async function takeOver(pending: PendingLock, path: string): Promise<boolean> {
  const found = await look(path);
  if (!found) return false;
  await refuseWhileHeld(found, pending);
  const turn = await takeLock(`${path}.${tokenOf(found)}`).catch(async (error) => {
    const now = await look(path);
    // Whoever had the turn has used it: what there is now is to be judged anew.
    if (error instanceof LockHeld && now && tokenOf(now) === tokenOf(found)) throw error;
    if (error instanceof LockHeld) return undefined;
    throw error;
  });
  if (!turn) return false;
  try {
    return await renamePatiently(async () => {
      // Each time that is tried: who keeps us waiting may be its run, awake again.
      const now = await look(path);
      if (!now || tokenOf(now) !== tokenOf(found)) return false;
      await refuseWhileHeld(now, pending);
      await rename(pending.path, path);
      return true;
    });
  } finally {
    await turn.release();
  }
}

const tokenOf = ({ holder }: Found) => holder?.token ?? "unreadable";

/** @throws {LockHeld} unless the lock was left behind */
async function refuseWhileHeld({ holder, touchedMs }: Found, pending: PendingLock): Promise<void> {
  const running = holder && isRunning(holder);
  if (running) throw new LockHeld(holder);
  if (running === false) return;
  // Between two times of one clock: that of a file server may be another than ours.
  const now = await look(pending.path);
  const touchedAgoMs = (now?.touchedMs ?? 0) - touchedMs;
  if (touchedAgoMs < staleMs) throw new LockHeld(holder, Math.max(0, touchedAgoMs));
}

/** A lock that was found. */
interface Found {
  /** Nothing where its text cannot be read. */
  readonly holder: LockHolder | undefined;
  /** When it was last touched, by the clock of the file system. */
  readonly touchedMs: number;
}

async function look(path: string): Promise<Found | undefined> {
  const handle = await open(path, "r").catch(ignoreMissing);
  try {
    if (!handle) return undefined;
    const text = await readFile(handle, "utf8");
    return { holder: parseHolder(text), touchedMs: (await handle.stat()).mtimeMs };
  } finally {
    await handle?.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
