import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { atEnd } from "../support/at-end.ts";
import { documentOf, filesIn, setUpRuns } from "./bulk/runs.ts";
import { nodeOf, programOf } from "./installed.ts";

/** Pseudo-random numbers that are the same in every run of this test. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const calls = [
  ["rename", "before"],
  ["rename", "after"],
  ["write", "before"],
  ["write", "half"],
  ["write", "after"],
  ["datasync", "after"],
] as const;

it("a run that is killed repeatedly generates every document, and no reported document twice", {
  timeout: 240_000,
}, async () => {
  const { service, folder, startRun, expectRest } = await setUpRuns(1500);
  const chance = seeded(20_261_122);
  let kills = 0;
  for (let round = 0; round < 48; round++) {
    const [call, when] = calls[round % 8] ?? [];
    const nth = 1 + chance(call === "rename" ? 30 : 2);
    const running = startRun(call && when ? { die: { call, when, nth } } : {});
    if (round % 8 === 6) {
      for (let left = chance(60); left >= 0; left--) await service.next();
      running.kill();
    } else if (round % 8 === 7) {
      // A document was just renamed and is not recorded yet.
      mkdirSync(join(folder, "out/1"), { recursive: true });
      let left = 1 + chance(20);
      const watcher = watch(join(folder, "out/1"), (_event, name) => {
        if (name?.endsWith(".pdf") && --left === 0) running.kill();
      });
      await running.ended.finally(() => watcher.close());
    }
    if ((await running.ended).signal === "SIGKILL") kills++;
  }
  expect(kills).toBeGreaterThanOrEqual(40);
  await expectRest();
});

it("a killed run over changed input generates only the changed documents again", {
  timeout: 120_000,
}, async () => {
  const { service, startRun, expectRest } = await setUpRuns(300);
  await expectRest();
  const before = service.requests.length;
  for (const [nth, [call, when]] of calls.entries())
    await startRun({ version: 1, die: { call, when, nth: call === "rename" ? nth + 2 : 1 } }).ended;
  await expectRest({ version: 1 });
  const asked = service.requests.slice(before).map(({ body }) => JSON.parse(body).n);
  expect(new Set(asked)).toEqual(new Set(Array.from({ length: 30 }, (_, at) => at * 10)));
});

it.each([
  ["exits", "exit", { exitCode: 7 }],
  ["throws an error that is not caught", "throw", { exitCode: 1 }],
  ["is terminated", "SIGTERM", { exitCode: null, signal: "SIGTERM" }],
  ["aborts it", "signal", { exitCode: 0, last: { name: "Error", message: "enough" } }],
  ["drains it", "drain", { exitCode: 0, last: { name: "RunStoppedError" } }],
])("a run whose process %s continues the next time", async (_title, how, ending) => {
  const { startRun, expectRest } = await setUpRuns(200);
  const first = await startRun({ end: { how, after: 60 } }).ended;
  expect(first).toMatchObject(ending);
  expect(first.lines.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(60);
  expect((await expectRest()).length).toBeGreaterThan(0);
});

it.each<[string, readonly string[]]>([
  ["Node 20", [nodeOf(20)]],
  ["Node 22", [nodeOf(22)]],
  ["Node 24", [nodeOf(24)]],
  ["Node 26", [nodeOf(26)]],
  ["Bun", [programOf("bun")]],
  ["Deno", [programOf("deno"), "run", "--allow-all"]],
])(
  "a run that is killed in %s continues there, after one of another runtime as well",
  async (_title, command) => {
    const { service, startRun, expectRest } = await setUpRuns(150);
    for (const before of [command, [process.execPath]]) {
      const running = startRun({}, before);
      for (let requests = 0; requests < 40; requests++) await service.next();
      running.kill();
      expect((await running.ended).signal).toBe("SIGKILL");
    }
    await expectRest({}, command);
  },
);

/** Mounts a small disk at a folder. Returns false if this process has no permission. */
function mountDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]);
  const unmount = () => void spawnSync("umount", ["--lazy", folder]);
  const forget = atEnd(unmount);
  onTestFinished(() => {
    unmount();
    forget();
  });
  return status === 0;
}

it.runIf(process.getuid?.() === 0 && process.platform === "linux").each([
  ["the documents and the journal", ""],
  ["the documents", "out"],
])("a run whose disk for %s fills up stops, and continues when there is room", async (_title, inner) => {
  const { startRun, folder, expectRest } = await setUpRuns(120);
  const disk = join(folder, inner);
  expect(mountDisk(disk)).toBe(true);
  const first = await startRun({ concurrency: 4 }).ended;
  expect(first.exitCode).toBe(0);
  expect(first.last?.message).toMatch(/: the disk is full/);
  if (inner !== "") expect(first.last?.name).toBe("RunStoppedError");
  const documents = filesIn(folder).filter((path) => path.startsWith("out/"));
  // It sends nothing after it has noticed.
  expect(first.asked.length).toBeLessThan(documents.length + 30);
  for (const path of documents) {
    const [, shelf, n] = /^out\/(\d)\/(\d+)\.pdf$/.exec(path) ?? [];
    const document = documentOf({ n: Number(n), shelf: Number(shelf) });
    expect(readFileSync(join(folder, path)).equals(document), path).toBe(true);
  }
  spawnSync("mount", ["-o", "remount,size=16m", disk]);
  await expectRest();
});

it("a run whose journal cannot grow stops and reports it", async () => {
  const { startRun } = await setUpRuns(1500);
  const limited = ["sh", "-c", 'ulimit -f 32; exec "$@"', "sh", process.execPath];
  const { last } = await startRun({}, limited).ended;
  expect(last?.message).toMatch(/the file is too large/);
});

it.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "a run on a read-only file system sends no request",
  async () => {
    const { startRun, folder } = await setUpRuns(20);
    expect(mountDisk(join(folder, "out"))).toBe(true);
    spawnSync("mount", ["-o", "remount,ro", join(folder, "out")]);
    const { asked, last } = await startRun().ended;
    expect(asked).toEqual([]);
    expect(last).toMatchObject({ name: "RunStoppedError", message: expect.stringMatching(/is read-only/) });
  },
);
