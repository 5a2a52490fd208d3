import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { atEnd } from "../support/at-end.ts";
import { bundleSource } from "../support/bundle-source.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { nodeOf, programOf } from "./installed.ts";

/** Opens a journal, says so or why not; then does what the second argument says. */
const program = `
  import { openJournal } from "./src/bulk/journal/journal.ts";
  const [path, what, count] = process.argv.slice(2);
  const say = (told) => process.stdout.write(JSON.stringify(told) + "\\n");
  let journal;
  try {
    journal = await openJournal({ path, run: {}, fresh: false });
  } catch ({ name, message }) {
    say({ name, message });
    process.exit();
  }
  const { finishedBefore, damagedLines } = journal;
  say({ pid: process.pid, finishedBefore, damagedLines });
  if (what === "hold") {
    for await (const _ of process.stdin);
  } else {
    let next = 0;
    const worker = async () => {
      while (next < Number(count)) {
        const index = next++;
        const entry = journal.enter("key " + index, "input", index);
        if (what === "tell") say({ index, state: entry.state });
        else if (entry.state === "new") {
          await journal.finish(entry);
          say({ finished: index });
        }
      }
    };
    const workers = Array.from({ length: 8 }, worker);
    await Promise.all(workers).catch(({ name, message }) => say({ name, message }));
    await Promise.allSettled(workers);
  }
  await journal.close();
`;

interface Told {
  readonly pid?: number;
  readonly name?: string;
  readonly message?: string;
  readonly finishedBefore?: number;
  readonly damagedLines?: number;
  readonly finished?: number;
  readonly index?: number;
  readonly state?: string;
}

let script: string;

beforeAll(async () => {
  const folder = makeTemporaryFolder("journal-program");
  script = join(folder.path, "program.mjs");
  await bundleSource(program, script, { external: ["undici", "undici/*"] });
  return () => folder.remove();
});

function newPath(): string {
  const folder = makeTemporaryFolder("journal");
  onTestFinished(() => folder.remove());
  return join(folder.path, "run.journal");
}

function start(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const kill = () => void child.kill("SIGKILL");
  const forget = atEnd(kill);
  onTestFinished(() => {
    kill();
    forget();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Told | undefined> => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  return { child, next, rest: () => restOf(next), ended: once(child, "close") };
}

async function restOf(next: () => Promise<Told | undefined>): Promise<Told[]> {
  const all: Told[] = [];
  for (let told = await next(); told; told = await next()) all.push(told);
  return all;
}

const startNode = (...args: readonly string[]) => start(process.execPath, [script, ...args]);

function letGo(child: ChildProcess): void {
  child.stdin?.end();
}

/** What a run on its own says, from its beginning to its end. */
async function runOf(...args: readonly string[]): Promise<Told[]> {
  return startNode(...args).rest();
}

/** Which of so many jobs the journal knows as finished. */
async function finishedIn(path: string, count: number): Promise<Set<number>> {
  const told = await runOf(path, "tell", String(count));
  return new Set(told.flatMap(({ index, state }) => (state === "finished" ? [index as number] : [])));
}

const numbersIn = (told: readonly Told[]) => told.flatMap(({ finished }) => finished ?? []);

describe("runs in processes of their own", () => {
  it.each(["beside a lock that was left behind", "beside no lock"])(
    "start at once %s: one gets the journal, the others name it",
    async (title) => {
      const path = newPath();
      if (title !== "beside no lock") {
        const killed = startNode(path, "hold");
        await killed.next();
        killed.child.kill("SIGKILL");
        await killed.ended;
        expect(readdirSync(join(path, "..")).sort()).toEqual(["run.journal", "run.journal.lock"]);
      }
      const all = Array.from({ length: 20 }, () => startNode(path, "hold"));
      const told = await Promise.all(all.map(({ next }) => next()));
      const [winner, ...more] = told.filter((each) => each?.pid !== undefined);
      expect(more).toEqual([]);
      const refusals = told.flatMap((each) => each?.message ?? []);
      expect(refusals).toHaveLength(19);
      for (const refusal of refusals) expect(refusal).toContain(`(process ${winner?.pid} on host "`);
      for (const { child } of all) letGo(child);
      await Promise.all(all.map(({ ended }) => ended));
      expect(readdirSync(join(path, ".."))).toEqual(["run.journal"]);
    },
  );

  it("that are killed at any moment lose nothing they called finished, and stop no run after them", async () => {
    const path = newPath();
    const count = 100_000;
    const known = new Set<number>();
    for (let round = 1; round <= 8; round++) {
      const running = startNode(path, "work", String(count));
      const first = await running.next();
      expect(first).toMatchObject({ damagedLines: 0 });
      expect(first?.finishedBefore).toBeGreaterThanOrEqual(known.size);
      for (let told = 0; told < round * 37; told++) {
        const { finished } = (await running.next()) ?? {};
        if (finished !== undefined) known.add(finished);
      }
      running.child.kill("SIGKILL");
      for (const number of numbersIn(await running.rest())) known.add(number);
      await running.ended;
    }
    const finished = await finishedIn(path, count);
    expect([...known].filter((number) => !finished.has(number))).toEqual([]);
    expect(known.size).toBeGreaterThanOrEqual(36 * 37);
  });

  it.runIf(process.platform === "linux")("are gone when they were killed and nobody took note", async () => {
    const path = newPath();
    // What the shell becomes does not know that it has a child.
    const orphaned = `"$1" "$2" "$3" hold < "$3.pipe" & exec sleep 600`;
    execFileSync("mkfifo", [`${path}.pipe`]);
    const parent = start("sh", ["-c", `${orphaned} 9<> "$3.pipe"`, "sh", process.execPath, script, path]);
    const { pid = 0 } = (await parent.next()) ?? {};
    process.kill(pid, "SIGKILL");
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await new Promise(setImmediate);
    expect(await runOf(path, "work", "1")).toMatchObject([{ finishedBefore: 0 }, { finished: 0 }]);
  });

  it.runIf(process.platform !== "win32")("keep the journal while they are stopped", async () => {
    const path = newPath();
    const stopped = startNode(path, "hold");
    await stopped.next();
    stopped.child.kill("SIGSTOP");
    const [refusal] = await runOf(path, "work", "1");
    expect(refusal?.message).toContain(`(process ${stopped.child.pid} on host "`);
  });
});

describe("a run on a disk that fills up", () => {
  /** A command that runs a program where a file can have 64 KiB, and what the error then says. */
  function limited(path: string): { readonly command: readonly string[]; readonly reason: RegExp } {
    const folder = join(path, "..");
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status === 0) {
      const unmount = () => void spawnSync("umount", ["--lazy", folder]);
      const forget = atEnd(unmount);
      onTestFinished(() => {
        unmount();
        forget();
      });
      return { command: [], reason: /the disk is full/ };
    }
    return limitedBySize;
  }
  const limitedBySize = {
    command: ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh"],
    reason: /larger than a file may be/,
  };

  it.each([
    ["the disk's", limited],
    ["a file's", () => limitedBySize],
  ])("says so at %s limit, and keeps what it called finished", async (_title, limitOf) => {
    const folder = join(newPath(), "..", "small");
    mkdirSync(folder);
    const path = join(folder, "run.journal");
    const { command, reason } = limitOf(path);
    const [first = "", ...args] = [...command, process.execPath, script, path, "work", "5000"];
    const told = await start(first, args).rest();
    const finished = numbersIn(told);
    expect(finished.length).toBeGreaterThan(600);
    expect(told.filter(({ name }) => name)).toEqual([
      { name: "JournalError", message: expect.stringMatching(reason) },
    ]);
    expect(readFileSync(path, "utf8").endsWith("\n")).toBe(true);
    // Room is needed for the lock; none of it is the journal's.
    const known = await finishedIn(path, 5000);
    expect(finished.filter((number) => !known.has(number))).toEqual([]);
    expect(known.size).toBe(finished.length);
  });
});

describe("the journal of another runtime", () => {
  const runtimes: readonly (readonly [string, string, readonly string[]])[] = [
    ["Node 20", nodeOf(20), []],
    ["Node 26", nodeOf(26), []],
    ["Bun", programOf("bun"), []],
    ["Deno", programOf("deno"), ["run", "--allow-all"]],
    [
      "Deno that may only read and write",
      programOf("deno"),
      ["run", "--allow-read", "--allow-write", "--no-prompt"],
    ],
  ];

  it.each(runtimes)("is gone on with in %s", async (_title, command, options) => {
    const path = newPath();
    await runOf(path, "work", "50");
    const told = await start(command, [...options, script, path, "work", "100"]).rest();
    expect(told[0]).toMatchObject({ finishedBefore: 50, damagedLines: 0 });
    expect(numbersIn(told)).toHaveLength(50);
    expect((await finishedIn(path, 100)).size).toBe(100);
    expect(readdirSync(join(path, ".."))).toEqual(["run.journal"]);
  });

  it.each(runtimes.slice(0, 4))(
    "is taken over at once by %s, and refused by it while in use",
    async (_title, command, options) => {
      const path = newPath();
      const held = startNode(path, "hold");
      await held.next();
      const [refusal] = await start(command, [...options, script, path, "work", "1"]).rest();
      expect(refusal?.message).toContain(`(process ${held.child.pid} on host "`);
      held.child.kill("SIGKILL");
      await held.ended;
      const [told] = await start(command, [...options, script, path, "work", "1"]).rest();
      expect(told).toMatchObject({ finishedBefore: 0 });
    },
  );
});
