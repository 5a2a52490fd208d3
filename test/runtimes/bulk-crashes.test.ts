import { mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { setUpRuns } from "./bulk/bulk-runs.ts";
import { filesIn } from "./bulk/shelves.ts";
import { nodeOf, programOf } from "./installed.ts";

/** Numbers that look like chance, and are the same in every run of this test. */
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

it("a run that is killed again and again makes every document once, and asks for nothing again that it has recorded", {
  timeout: 240_000,
}, async () => {
  const count = 1500;
  const { shelves, folder, start, expectWhole } = await setUpRuns(count);
  const chance = seeded(20_261_122);
  let kills = 0;
  for (let round = 0; round < 48; round++) {
    const [call, when] = calls[round % 8] ?? [];
    const nth = 1 + chance(call === "rename" ? 30 : 2);
    const running = start(call && when ? { die: { call, when, nth } } : {});
    if (round % 8 === 6) {
      let left = chance(60);
      shelves.onRequest = () => {
        if (left-- === 0) running.kill();
      };
    } else if (round % 8 === 7) {
      // A document has got its name a moment ago, and no line.
      mkdirSync(join(folder, "out/1"), { recursive: true });
      let left = 1 + chance(20);
      const watcher = watch(join(folder, "out/1"), (_event, name) => {
        if (name?.endsWith(".pdf") && --left === 0) running.kill();
      });
      await running.ended.finally(() => watcher.close());
    }
    const { signal, complaints } = await running.ended;
    expect(complaints).toBe("");
    if (signal === "SIGKILL") kills++;
    shelves.onRequest = () => {};
  }
  expect(kills).toBeGreaterThanOrEqual(40);
  const { before, told } = await start().ended;
  const summary = { fulfilled: count - before.size, skipped: before.size, rejected: 0, missing: 0 };
  expect(told.at(-1)?.summary).toMatchObject(summary);
  expectWhole();
});

it("a run over changed input that is killed makes the changed documents again, and no other", {
  timeout: 120_000,
}, async () => {
  const count = 300;
  const { shelves, start, expectWhole } = await setUpRuns(count);
  shelves.refuses = ({ n }) => n % 50 === 7;
  expect((await start().ended).told.at(-1)?.summary).toMatchObject({ fulfilled: 294, rejected: 6 });
  shelves.refuses = () => false;
  for (const [nth, [call, when]] of calls.entries()) {
    await start({ version: 1, die: { call, when, nth: call === "rename" ? nth + 2 : 1 } }).ended;
  }
  const { before, asked, told } = await start({ version: 1 }).ended;
  expect(told.at(-1)?.summary).toMatchObject({ fulfilled: count - before.size, skipped: before.size });
  // The six that were refused, and the thirty that have changed.
  const wanted = (n: number) => n % 50 === 7 || n % 10 === 0;
  expect(asked.filter((n) => !wanted(n))).toEqual([]);
  expectWhole(1);
});

it.each([
  ["exits", "exit", 7],
  ["fails with an error that nobody catches", "throw", 1],
  ["is told to end", "SIGTERM", null],
])("a run whose process %s goes on where it was", async (_title, how, code) => {
  const { start, expectWhole } = await setUpRuns(200);
  const first = await start({ end: { how, after: 60 } }).ended;
  expect(first.code).toBe(code);
  expect(first.after.size).toBeGreaterThanOrEqual(60);
  expect(first.after.size).toBeLessThan(200);
  await start().ended;
  expectWhole();
});

it.each([
  ["aborted", "signal", { name: "Error", message: "enough" }],
  ["drained", "drain", { name: "RunStoppedError" }],
])(
  "a run that is %s leaves nothing half done, and its process ends by itself",
  async (_title, how, error) => {
    const { start, expectWhole, folder } = await setUpRuns(200);
    const first = await start({ end: { how, after: 60 } }).ended;
    expect(first).toMatchObject({ code: 0, complaints: "" });
    expect(first.told.at(-1)).toMatchObject(error);
    // All that is recorded is there, beside the journal; a file that got its name as the run was given up may be there, too.
    expect(filesIn(folder).length).toBeGreaterThanOrEqual(first.after.size + 1);
    await start().ended;
    expectWhole();
  },
);

it("a run whose service goes away stops where that is asked for, and goes on when it is back", async () => {
  const { shelves, start, expectWhole } = await setUpRuns(200);
  const running = start({ options: { stopAfter: 10, retry: { limit: 1 } } });
  let left = 80;
  shelves.onRequest = () => {
    if (--left === 0) void shelves.close();
  };
  const { told, after } = await running.ended;
  expect(
    told.filter(({ status }) => status === "rejected").every(({ code }) => code === "connection_failed"),
  ).toBe(true);
  expect(told.at(-1)).toMatchObject({ name: "RunStoppedError" });
  expect(after.size).toBeLessThan(80);
  await shelves.open();
  await start().ended;
  expectWhole();
});

const runtimes: readonly (readonly [string, readonly string[]])[] = [
  ["Node 20", [nodeOf(20)]],
  ["Node 22", [nodeOf(22)]],
  ["Node 24", [nodeOf(24)]],
  ["Node 26", [nodeOf(26)]],
  ["Bun", [programOf("bun")]],
  ["Deno", [programOf("deno"), "run", "--allow-all"]],
];

it.each(runtimes)(
  "a run that is killed in %s goes on there, and one of another runtime as well",
  async (_title, command) => {
    const { shelves, start, expectWhole } = await setUpRuns(150);
    for (const before of [command, [process.execPath]]) {
      const running = start({}, before);
      let left = 40;
      shelves.onRequest = () => {
        if (--left === 0) running.kill();
      };
      expect((await running.ended).signal).toBe("SIGKILL");
    }
    const { told, before, code, complaints } = await start({}, command).ended;
    expect({ code, complaints }).toEqual({ code: 0, complaints: "" });
    expect(told.at(-1)?.summary).toMatchObject({ fulfilled: 150 - before.size, skipped: before.size });
    expectWhole();
  },
);
