import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";
import { atEnd } from "../support/at-end.ts";
import { bundleSource } from "../support/bundle-source.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { nodeOf, programOf } from "./installed.ts";

/** Opens a journal and prints the result. If the second argument says so, keeps it open until its input ends. */
const program = `
  import { openJournal } from "./src/bulk/journal/journal.ts";
  const [path, what] = process.argv.slice(2);
  const say = (told) => process.stdout.write(JSON.stringify(told) + "\\n");
  let journal;
  try {
    journal = await openJournal({ path, run: {}, fresh: false });
  } catch ({ name, message }) {
    say({ name, message });
    process.exit();
  }
  say({ pid: process.pid });
  if (what === "hold") for await (const _ of process.stdin);
  await journal.close();
`;

interface Told {
  readonly pid?: number;
  readonly message?: string;
}

let script: string;

beforeAll(async () => {
  const folder = makeTemporaryFolder("journal-program");
  script = join(folder.path, "program.mjs");
  await bundleSource(program, script, { external: ["undici", "undici/*"] });
  return () => folder.remove();
});

const newPath = () => join(temporaryFolder(), "run.journal");

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
  /** The complete output. */
  const rest = async (): Promise<Told[]> => {
    const told = await next();
    return told ? [told, ...(await rest())] : [];
  };
  return { child, next, rest, ended: once(child, "close") };
}

const startNode = (...args: readonly string[]) => start(process.execPath, [script, ...args]);

describe("runs in separate processes", () => {
  it.each(["with an abandoned lock", "without a lock"])(
    "start at the same time %s: one opens the journal, and the others name it",
    async (title) => {
      const path = newPath();
      if (title !== "without a lock") {
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
      for (const { child } of all) child.stdin.end();
      await Promise.all(all.map(({ ended }) => ended));
      expect(readdirSync(join(path, ".."))).toEqual(["run.journal"]);
    },
  );

  it.runIf(process.platform === "linux")("have ended if they were killed but not reaped", async () => {
    const path = newPath();
    // The program that replaces the shell does not know that it has a child.
    const orphaned = `"$1" "$2" "$3" hold < "$3.pipe" & exec sleep 600`;
    execFileSync("mkfifo", [`${path}.pipe`]);
    const parent = start("sh", ["-c", `${orphaned} 9<> "$3.pipe"`, "sh", process.execPath, script, path]);
    const { pid = 0 } = (await parent.next()) ?? {};
    process.kill(pid, "SIGKILL");
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await new Promise(setImmediate);
    expect(await startNode(path).rest()).toMatchObject([{ pid: expect.any(Number) }]);
  });

  it.runIf(process.platform !== "win32")("keep the journal while they are stopped", async () => {
    const path = newPath();
    const stopped = startNode(path, "hold");
    await stopped.next();
    stopped.child.kill("SIGSTOP");
    const [refusal] = await startNode(path).rest();
    expect(refusal?.message).toContain(`(process ${stopped.child.pid} on host "`);
  });
});

it.each<readonly [string, string, readonly string[]]>([
  ["Node 20", nodeOf(20), []],
  ["Node 26", nodeOf(26), []],
  ["Bun", programOf("bun"), []],
  ["Deno", programOf("deno"), ["run", "--allow-all"]],
])(
  "%s refuses the journal of a run in Node, and takes it over at once when that is killed",
  async (_title, command, options) => {
    const path = newPath();
    const held = startNode(path, "hold");
    await held.next();
    const [refusal] = await start(command, [...options, script, path]).rest();
    expect(refusal?.message).toContain(`(process ${held.child.pid} on host "`);
    held.child.kill("SIGKILL");
    await held.ended;
    const [told] = await start(command, [...options, script, path]).rest();
    expect(told?.pid).toBeGreaterThan(0);
  },
);

it("Deno opens the journal of a run in Node with permission to read and write only", async () => {
  const path = newPath();
  await startNode(path).rest();
  const flags = ["run", "--allow-read", "--allow-write", "--no-prompt"];
  const told = await start(programOf("deno"), [...flags, script, path]).rest();
  expect(told).toEqual([{ pid: expect.any(Number) }]);
  expect(readdirSync(join(path, ".."))).toEqual(["run.journal"]);
});
