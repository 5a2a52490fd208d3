import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { atEnd } from "../support/at-end.ts";
import { setUpRuns } from "./bulk/bulk-runs.ts";
import { documentOf, filesIn } from "./bulk/shelves.ts";

/** Makes a folder a small disk of its own; gives false where this process may not. */
function mountDisk(folder: string, kibibytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "tmpfs", folder]).status !== 0)
    return false;
  const unmount = () => void spawnSync("umount", ["--lazy", folder]);
  const forget = atEnd(unmount);
  onTestFinished(() => {
    unmount();
    forget();
  });
  return true;
}

const isRoot = process.getuid?.() === 0;
const hasDisks = isRoot && process.platform === "linux";

describe.runIf(hasDisks)("a disk of its own", () => {
  it.each([
    ["for the documents and the journal", ""],
    ["for the documents", "out"],
  ])("%s that fills up stops the run, which goes on when there is room", async (_title, inner) => {
    const { start, folder, expectWhole } = await setUpRuns(120);
    const disk = join(folder, inner);
    expect(mountDisk(disk, 256)).toBe(true);
    const first = await start({ options: { concurrency: 4 } }).ended;
    expect(first.code).toBe(0);
    const last = first.told.at(-1);
    expect(last?.message).toMatch(/: the disk is full/);
    if (inner !== "") expect(last?.name).toBe("RunStoppedError");
    // Not for every job in turn: nothing more is asked for once that is known.
    expect(first.asked.length).toBeLessThan(first.after.size + 30);
    // Nothing stands there that is half a document, and what is recorded stands there.
    const documents = filesIn(folder).filter((path) => path.startsWith("out/"));
    for (const path of documents) {
      const [, shelf, n] = /^out\/(\d)\/(\d+)\.pdf$/.exec(path) ?? [];
      expect(
        readFileSync(join(folder, path)).equals(documentOf({ n: Number(n), shelf: Number(shelf) })),
      ).toBe(true);
    }
    expect(documents.length).toBeGreaterThanOrEqual(first.after.size);
    const again = await start({ options: { concurrency: 4 } }).ended;
    expect(again.told.at(-1)?.message).toMatch(/the disk is full/);
    spawnSync("mount", ["-o", "remount,size=16m", disk]);
    expect((await start().ended).told.at(-1)?.summary).toMatchObject({
      skipped: again.after.size,
      rejected: 0,
    });
    expectWhole();
  });

  it("that may only be read stops the run before anything is sent", async () => {
    const { start, folder } = await setUpRuns(200);
    expect(mountDisk(join(folder, "out"), 256)).toBe(true);
    spawnSync("mount", ["-o", "remount,ro", join(folder, "out")]);
    const { told, asked } = await start().ended;
    expect(asked).toEqual([]);
    expect(told.at(-1)).toMatchObject({
      name: "RunStoppedError",
      message: expect.stringMatching(
        /: the file system is read-only\. Until then 0 of its jobs were fulfilled/,
      ),
    });
  });
});

it("two runs at once on one journal: the second is refused, and the first goes on unharmed", async () => {
  const { start, shelves, expectWhole } = await setUpRuns(200);
  const first = start();
  await new Promise<void>((resolve) => {
    shelves.onRequest = resolve;
  });
  const { told, asked } = await start().ended;
  expect(told).toEqual([
    {
      name: "JournalError",
      message: expect.stringContaining(`is in use by another run (process ${first.child.pid}`),
    },
  ]);
  expect(asked).toEqual([]);
  expect((await first.ended).told.at(-1)?.summary).toMatchObject({ fulfilled: 200 });
  expectWhole();
});

it.each([
  ["a folder", (path: string) => mkdirSync(path)],
  ["a PDF", (path: string) => writeFileSync(path, documentOf({ n: 1, shelf: 1 }))],
  ["a table", (path: string) => writeFileSync(path, "n;shelf\n1;1\n")],
  ["a link that leads in a circle", (path: string) => symlinkSync("run.journal", path)],
])("a journal that is %s ends the run before anything is sent, and stays", async (_title, put) => {
  const { start, folder } = await setUpRuns(2);
  const path = join(folder, "run.journal");
  put(path);
  const before = lstatSync(path);
  const { told, asked } = await start().ended;
  expect(told).toMatchObject([{ name: "JournalError" }]);
  expect(told[0]?.message).toMatch(/name (?:a file inside it|another (?:path|journal))/);
  expect(asked).toEqual([]);
  expect(lstatSync(path)).toMatchObject({ size: before.size, mode: before.mode });
});
