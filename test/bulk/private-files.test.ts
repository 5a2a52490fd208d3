import { chmodSync, statSync } from "node:fs";
import fs, { chmod, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openJournal } from "../../src/bulk/journal/journal.ts";
import { thisProcess } from "../../src/bulk/journal/lock-holder.ts";
import { modeOf, setUmask } from "../support/file-modes.ts";
import { hasModes } from "../support/platform.ts";
import { rejectionOf, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { jobsOf, setUpRun, small } from "./many.ts";

/** Opens a journal that is closed when the test has finished. */
async function openFor(path: string, fresh = false) {
  const journal = await openJournal({ path, run: {}, fresh });
  onTestFinished(() => journal.close());
  return journal;
}

/** Leaves a journal with one line, as an earlier version did. */
async function leaveJournal(path: string, mode: number): Promise<void> {
  const journal = await openJournal({ path, run: {}, fresh: false });
  await journal.finish(journal.enter("a", "1", 0));
  await journal.close();
  await chmod(path, mode);
}

/** Makes every change of a file's mode fail with an error code. */
async function refuseModes(code: string): Promise<void> {
  const handle = await open(temporaryFolder());
  const chmodOfHandle = vi.spyOn(Object.getPrototypeOf(handle), "chmod");
  await handle.close();
  chmodOfHandle.mockRejectedValue(Object.assign(new Error(`refused: ${code}`), { code }));
  onTestFinished(() => void vi.restoreAllMocks());
}

describe.runIf(hasModes)("with a umask of 0, a run", () => {
  beforeEach(() => setUmask(0));

  it("creates its journal, its lock and the old journal with mode 600, and its documents with mode 666", async () => {
    const modes: string[] = [];
    const { at, run, files } = await setUpRun((received) => {
      modes.push(...["run.journal", "run.journal.lock"].map((name) => modeOf(join(at, name))));
      withLength(small)(received);
    });
    await run(jobsOf(1));
    await run(jobsOf(1), { fresh: true });
    expect(modes).toEqual(["600", "600", "600", "600"]);
    expect(modeOf(join(at, "run.journal.old"))).toBe("600");
    expect((await files()).map((name) => modeOf(join(at, "out", name)))).toEqual(["666"]);
  });

  it("creates the drafts of its documents with mode 600", async () => {
    const modes: string[] = [];
    const { at, run, files } = await setUpRun(async ({ response }) => {
      response.writeHead(200, { "content-length": small.length });
      response.write(small.subarray(0, 500));
      let names: string[] = [];
      while (names.length === 0) {
        names = (await files()).filter((name) => statSync(join(at, "out", name)).size > 0);
      }
      modes.push(...names.map((name) => modeOf(join(at, "out", name))));
      response.end(small.subarray(500));
    });
    await run(jobsOf(1));
    expect(modes).toEqual(["600"]);
  });

  it.each([
    ["a new lock", undefined],
    ["the lock of a process that has ended", { ...thisProcess("earlier"), pid: 2 ** 22 + 1 }],
  ])("creates every file for %s with mode 600", async (_title, holder) => {
    const path = join(temporaryFolder(), "run.journal");
    if (holder) await writeFile(`${path}.lock`, JSON.stringify(holder));
    const modes: string[] = [];
    const { link } = fs;
    vi.spyOn(fs, "link").mockImplementation(async (from, to) => {
      modes.push(modeOf(String(from)));
      await link(from, to);
      modes.push(modeOf(String(to)));
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    await openFor(path);
    expect(modes.length).toBeGreaterThan(0);
    expect(new Set(modes)).toEqual(new Set(["600"]));
    expect(modeOf(`${path}.lock`)).toBe("600");
  });

  it("creates its lock with mode 600 on a file system without links", async () => {
    vi.spyOn(fs, "link").mockRejectedValue(Object.assign(new Error("no links"), { code: "EPERM" }));
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const path = join(temporaryFolder(), "run.journal");
    await openFor(path);
    expect(modeOf(`${path}.lock`)).toBe("600");
  });
});

describe.runIf(hasModes)("the documents of a run", () => {
  it("have the mode that the umask leaves, or the mode of the file that they replace", async () => {
    setUmask(0o027);
    const { at, run } = await setUpRun();
    await run(jobsOf(1));
    expect(modeOf(join(at, "out", "0.pdf"))).toBe("640");
    chmodSync(join(at, "out", "0.pdf"), 0o604);
    await run(jobsOf(2), { fresh: true });
    const [replaced, created] = [join(at, "out", "0.pdf"), join(at, "out", "1.pdf")];
    expect({ replaced: modeOf(replaced), created: modeOf(created) }).toEqual({
      replaced: "604",
      created: "640",
    });
  });
});

describe.runIf(hasModes)("a journal that other users may read", () => {
  it.each([false, true])(
    "becomes private when it is opened, as does the old journal (fresh: %s)",
    async (fresh) => {
      const path = join(temporaryFolder(), "run.journal");
      await leaveJournal(`${path}.old`, 0o644);
      await leaveJournal(path, 0o666);
      await openFor(path, fresh);
      const modes = { journal: modeOf(path), oldJournal: modeOf(`${path}.old`) };
      expect(modes).toEqual({ journal: "600", oldJournal: "600" });
    },
  );

  it("becomes private even if it is refused because it belongs to a different run", async () => {
    const path = join(temporaryFolder(), "run.journal");
    await leaveJournal(path, 0o644);
    await rejectionOf(openJournal({ path, run: { name: "other" }, fresh: false }));
    expect(modeOf(path)).toBe("600");
  });

  it("is opened if the system does not support modes", async () => {
    const path = join(temporaryFolder(), "run.journal");
    await leaveJournal(path, 0o644);
    await refuseModes("EPERM");
    expect((await openFor(path)).finishedBefore).toBe(1);
  });

  it("is not opened if changing its mode fails for a different reason", async () => {
    const path = join(temporaryFolder(), "run.journal");
    await leaveJournal(path, 0o644);
    await refuseModes("EIO");
    expect(await rejectionOf(openFor(path))).toMatchObject({
      message: expect.stringContaining("cannot be opened: the disk reported an error"),
    });
    expect(await readdir(join(path, ".."))).toEqual(["run.journal"]);
  });
});

describe.runIf(hasModes)("a file that is not a journal", () => {
  it("keeps its mode if a run gets its path as that of the journal", async () => {
    const path = join(temporaryFolder(), "notes");
    await writeFile(path, "mine", { mode: 0o644 });
    expect(await rejectionOf(openFor(path))).toMatchObject({
      message: expect.stringContaining("is not a journal"),
    });
    const content = await readFile(path, "utf8");
    expect({ mode: modeOf(path), content }).toEqual({ mode: "644", content: "mine" });
  });

  it.each(["a file", "a link to a journal", "a folder"])(
    "keeps its mode if it has the name of the old journal: %s",
    async (what) => {
      const path = join(temporaryFolder(), "run.journal");
      const other = join(temporaryFolder(), "other");
      await leaveJournal(other, 0o644);
      if (what === "a file") await writeFile(`${path}.old`, "mine", { mode: 0o644 });
      else if (what === "a folder") await fs.mkdir(`${path}.old`, { mode: 0o755 });
      else await symlink(other, `${path}.old`);
      const before = (await stat(`${path}.old`)).mode;
      await openFor(path);
      expect((await stat(`${path}.old`)).mode).toBe(before);
      await rm(`${path}.old`, { recursive: true });
    },
  );
});
