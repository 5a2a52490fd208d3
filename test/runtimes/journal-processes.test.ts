import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { nodeOf, runtimeProgram } from "../../scripts/runtimes.mjs";
import { atEnd } from "../support/at-end.ts";
import { bundleSource } from "../support/bundle-source.ts";
import { eventually } from "../support/eventually.ts";
import { makeTemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

/** Opens a journal and prints the result. If the second argument says so, keeps it open until its input ends. */
const program = `
  import { openJournal } from "./src/bulk/journal/journal.ts";
  const [path, what] = process.argv.slice(2);
  const say = (report) => process.stdout.write(JSON.stringify(report) + "\\n");
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

interface Report {
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
  const next = async (): Promise<Report | undefined> => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  return { child, next, ended: once(child, "close") };
}

const startNode = (...args: readonly string[]) => start(process.execPath, [script, ...args]);

describe("runs in separate processes", () => {
  it("compete for an abandoned lock, and report the winner's process ID", async () => {
    const path = newPath();
    const killed = startNode(path, "hold");
    await killed.next();
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(readdirSync(join(path, "..")).sort()).toEqual(["run.journal", "run.journal.lock"]);
    const all = Array.from({ length: 12 }, () => startNode(path, "hold"));
    const reports = await Promise.all(all.map(({ next }) => next()));
    const winner = reports.find((each) => each?.pid !== undefined);
    const refusals = reports.flatMap((each) => each?.message ?? []);
    const refusal = expect.stringContaining(`(process ${winner?.pid} on host "`);
    expect(refusals).toEqual(Array(11).fill(refusal));
    for (const { child } of all) child.stdin.end();
    await Promise.all(all.map(({ ended }) => ended));
    expect(readdirSync(join(path, ".."))).toEqual(["run.journal"]);
  });

  it.runIf(process.platform === "linux")("count as ended if their processes are zombies", async () => {
    const path = newPath();
    // The program that replaces the shell does not know that it has a child.
    const orphaned = `"$1" "$2" "$3" hold < "$3.pipe" & exec sleep 600`;
    execFileSync("mkfifo", [`${path}.pipe`]);
    const parent = start("sh", ["-c", `${orphaned} 9<> "$3.pipe"`, "sh", process.execPath, script, path]);
    const { pid = 0 } = (await parent.next()) ?? {};
    process.kill(pid, "SIGKILL");
    await eventually(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    expect(await startNode(path).next()).toEqual({ pid: expect.any(Number) });
  });
});

it.each<readonly [string, string, readonly string[]]>([
  ["Node 26", nodeOf(26), []],
  ["Bun", runtimeProgram("bun"), []],
  ["Deno", runtimeProgram("deno"), ["run", "--allow-all"]],
])("a run in %s cannot open a journal that a Node process is using", async (_title, command, options) => {
  const path = newPath();
  const held = startNode(path, "hold");
  await held.next();
  const refusal = await start(command, [...options, script, path]).next();
  expect(refusal?.message).toContain(`(process ${held.child.pid} on host "`);
  held.child.kill("SIGKILL");
  await held.ended;
  expect(await start(command, [...options, script, path]).next()).toEqual({ pid: expect.any(Number) });
});
