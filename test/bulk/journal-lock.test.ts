import { spawnSync } from "node:child_process";
import fs, { readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openJournal } from "../../src/bulk/journal/journal.ts";
import { Lock, takeLock } from "../../src/bulk/journal/lock.ts";
import { thisProcess } from "../../src/bulk/journal/lock-holder.ts";
import { hasLinks, hasPipeFiles, hasProcessTable } from "../support/platform.ts";
import { makePipe } from "../support/special-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const newPath = () => join(temporaryFolder(), "run.journal");
const filesNextTo = async (path: string) => (await readdir(join(path, ".."))).sort();

async function open(path: string) {
  const journal = await openJournal({ path, run: {}, fresh: false });
  onTestFinished(() => journal.close());
  return journal;
}

const messageOf = (opening: Promise<unknown>): Promise<string> =>
  opening.then(() => "It was opened.").catch((error: Error) => error.message);

const ended = () => spawnSync(process.execPath, ["--version"]).pid;
const own = thisProcess("abc");
const elsewhere = { ...own, host: "elsewhere" };

/** Calls `act` once, before the file-system call with this number, counted from 1. */
function interruptBefore(interruptedCall: number, act: () => Promise<unknown>) {
  let calls = 0;
  let isActing = false;
  for (const method of ["link", "open", "rename", "unlink", "writeFile"] as const) {
    const original = fs[method] as (...args: unknown[]) => Promise<unknown>;
    const interrupted = async (...args: unknown[]) => {
      if (!isActing && ++calls === interruptedCall) {
        isActing = true;
        await act();
        isActing = false;
      }
      return original(...args);
    };
    vi.spyOn(fs, method).mockImplementation(interrupted as never);
  }
  syncBuiltinESMExports();
  const restore = () => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  return { callsSoFar: () => calls, restore };
}

/** Creates a lock that was last refreshed this many seconds ago. */
async function leaveLock(path: string, text: string, agoSeconds = 0): Promise<void> {
  await writeFile(`${path}.lock`, text);
  const touched = Date.now() / 1000 - agoSeconds;
  await utimes(`${path}.lock`, touched, touched);
}

describe("a journal's lock", () => {
  it("makes a second run fail with an error that identifies the first run", async () => {
    const path = newPath();
    const first = await open(path);
    const { pid } = process;
    const message = await messageOf(open(path));
    const who = `process ${pid} on host "${hostname()}"`;
    expect(message).toContain(`The journal ${JSON.stringify(path)} is in use by another run (${who}`);
    expect(message).toContain("Wait until that run ends, or use another journal");
    // Without a process table, the message says when the lock expires at the latest.
    expect(message.includes("if it is gone already, start again in")).toBe(!hasProcessTable);
    await first.finish(first.enter("a", "1", 0));
    await first.close();
    const next = await open(path);
    expect(next.finishedBefore).toBe(1);
  });

  it.runIf(hasPipeFiles)("is refused if it is a named pipe, and lost if it becomes one", async () => {
    const path = newPath();
    makePipe(`${path}.lock`);
    expect(await messageOf(open(path))).toContain(
      `cannot be opened: its lock ${JSON.stringify(`${path}.lock`)} is unusable, because it is a named pipe, not a file`,
    );
    await rm(`${path}.lock`);
    const lock = await takeLock(`${path}.lock`);
    onTestFinished(() => lock.release());
    expect(await lock.isOurs()).toBe(true);
    await rm(`${path}.lock`);
    makePipe(`${path}.lock`);
    // The lock is checked again if it was not touched for a while.
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await lock.isOurs()).toBe(false);
  });

  it("is refused if it is larger than any lock", async () => {
    const path = newPath();
    await leaveLock(path, "x".repeat(100_000), 31);
    expect(await messageOf(open(path))).toContain("is unusable, because it is larger than 64 KiB");
  });

  it.runIf(hasLinks)("is the same if the journal is opened through a link", async () => {
    const path = newPath();
    await open(path);
    const other = join(temporaryFolder(), "other");
    await symlink(path, other);
    expect(await messageOf(open(other))).toMatch(/is in use/);
    expect(await readdir(join(other, ".."))).toEqual(["other"]);
  });

  it("is not taken over on Windows if its owner refreshes the lock during the attempt", async () => {
    const path = newPath();
    await leaveLock(path, JSON.stringify(elsewhere), 31);
    vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    const rename = vi.spyOn(fs, "rename").mockImplementationOnce(async () => {
      await leaveLock(path, JSON.stringify(elsewhere));
      throw Object.assign(new Error("held open"), { code: "EPERM", syscall: "rename" });
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(await messageOf(open(path))).toMatch(/in use by another run \(process \d+ on host "elsewhere"/);
    expect(rename).toHaveBeenCalledTimes(1);
    expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toEqual(elsewhere);
    expect(await filesNextTo(path)).toEqual(["run.journal.lock"]);
  });

  it.each(["", JSON.stringify({ ...own, pid: 0 }), JSON.stringify({ ...own, token: "../x" })])(
    "is taken over only after it expires, even if its content is unreadable: %j",
    async (text) => {
      const path = newPath();
      await leaveLock(path, text);
      expect(await messageOf(open(path))).toMatch(
        /in use by another run \(its lock ".*\.lock" is unreadable; last active \d+ s ago\)\. .*\. If that run has already ended, start again in \d\d s\.$/,
      );
      await leaveLock(path, text, 31);
      await open(path);
    },
  );

  it.each([
    ["a run on another host", elsewhere],
    ["a run on another machine with the same host name", { ...own, pid: 1, processes: "others" }],
  ])("is valid while %s refreshes it, and is taken over after it expires", async (_title, holder) => {
    const path = newPath();
    await leaveLock(path, JSON.stringify(holder), 12);
    const who = `process ${holder.pid} on host "${holder.host}"; last active 1\\d s ago`;
    expect(await messageOf(open(path))).toMatch(new RegExp(`${who}.*again in 1\\d s`));
    expect(await filesNextTo(path)).toEqual(["run.journal.lock"]);
    await leaveLock(path, JSON.stringify(holder), 31);
    await open(path);
    expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toMatchObject({ pid: process.pid });
    expect(await filesNextTo(path)).toEqual(["run.journal", "run.journal.lock"]);
  });

  it.runIf(hasProcessTable)("stays valid while its process runs, even without refreshes", async () => {
    const path = newPath();
    await leaveLock(path, JSON.stringify(own), 100_000);
    expect(await messageOf(open(path))).toMatch(/is in use/);
  });

  it.runIf(process.platform === "linux")("is taken over if its process ID was reused", async () => {
    const path = newPath();
    await leaveLock(path, JSON.stringify({ ...own, started: "1" }));
    await open(path);
    expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toMatchObject({
      pid: own.pid,
      started: own.started,
    });
  });

  it("is taken over by exactly one of many concurrent runs if its process has ended", async () => {
    const path = newPath();
    await leaveLock(path, JSON.stringify({ ...own, pid: ended() }));
    const messages = await Promise.all(Array.from({ length: 20 }, () => messageOf(open(path))));
    expect(messages.filter((message) => message === "It was opened.")).toHaveLength(1);
    expect(messages.filter((message) => message.includes("is in use by another run (process"))).toHaveLength(
      19,
    );
    expect(await filesNextTo(path)).toEqual(["run.journal", "run.journal.lock"]);
    expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toMatchObject({ pid: process.pid });
  });

  it("is taken over by exactly one of two runs, whichever file-system call of the first is interrupted by the second", async () => {
    const attempt = (path: string) => takeLock(path).catch((error: Error) => error);
    for (let interruptedCall = 1; ; interruptedCall += 1) {
      const path = newPath();
      const lockPath = `${path}.lock`;
      await leaveLock(path, JSON.stringify({ ...own, pid: ended() }));
      let second: Promise<Lock | Error> | undefined;
      const interruption = interruptBefore(interruptedCall, () => {
        second = attempt(lockPath);
        return second;
      });
      const first = await attempt(lockPath);
      interruption.restore();
      if (second === undefined) {
        expect(interruption.callsSoFar(), "every call was interrupted once").toBe(interruptedCall - 1);
        break;
      }
      const outcomes = [first, await second];
      const owners = outcomes.filter((outcome) => outcome instanceof Lock);
      expect(owners, `owners after an interruption before call ${interruptedCall}`).toHaveLength(1);
      expect(String(outcomes.find((outcome) => outcome instanceof Error))).toContain(
        "is in use by another run",
      );
      expect(await filesNextTo(path)).toEqual(["run.journal.lock"]);
      // An owner removes only its own lock.
      await owners[0]?.release();
      expect(await filesNextTo(path)).toEqual([]);
    }
  });

  it("is taken over even if an earlier run was killed during a takeover", async () => {
    const path = newPath();
    const dead = { ...own, pid: ended() };
    await leaveLock(path, JSON.stringify({ ...dead, token: "one" }));
    await writeFile(`${path}.lock.one`, JSON.stringify({ ...dead, token: "two" }));
    await open(path);
    expect(await filesNextTo(path)).toEqual(["run.journal", "run.journal.lock"]);
  });

  it("is released only by its owner", async () => {
    const path = newPath();
    const journal = await open(path);
    await leaveLock(path, JSON.stringify({ ...own, token: "theirs" }));
    await journal.close();
    expect(await readFile(`${path}.lock`, "utf8")).toContain("theirs");
  });

  it.runIf(hasLinks)("is treated as in use if it is a broken link", async () => {
    const path = newPath();
    await symlink(join(path, "..", "nowhere"), `${path}.lock`);
    expect(await messageOf(open(path))).toMatch(/is in use by another run \(its lock ".*" is unreadable\)/);
  });
});

describe("a run that was suspended for a long time", () => {
  const afterAMinute = () => {
    const later = Date.now() + 60_000;
    vi.spyOn(Date, "now").mockReturnValue(later);
    onTestFinished(() => void vi.restoreAllMocks());
    return later;
  };

  it.each([
    ["is locked by another run", (path: string) => leaveLock(path, '{"token":"theirs"}')],
    ["no longer has a lock", (path: string) => rm(`${path}.lock`)],
  ])("stops if its journal %s", async (_title, lose) => {
    const path = newPath();
    const journal = await open(path);
    await journal.finish(journal.enter("a", "1", 0));
    const before = await readFile(path);
    await lose(path);
    afterAMinute();
    const message = await messageOf(journal.finish(journal.enter("b", "1", 1)));
    expect(message).toMatch(/was taken over by another run/);
    expect(await readFile(path)).toEqual(before);
  });

  it("continues and refreshes its lock if it still owns the lock", async () => {
    const path = newPath();
    const journal = await open(path);
    const text = await readFile(`${path}.lock`, "utf8");
    await leaveLock(path, text, 60);
    const later = afterAMinute();
    await journal.finish(journal.enter("a", "1", 0));
    const { mtimeMs } = await stat(`${path}.lock`);
    expect(later - mtimeMs).toBeLessThan(61_000);
    expect(await readFile(`${path}.lock`, "utf8")).toBe(text);
  });
});
