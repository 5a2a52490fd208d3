import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { nodeOf, runtimeProgram } from "../../scripts/runtimes.mjs";
import { makeProject } from "../package/consumer.ts";
import { atEnd } from "../support/at-end.ts";
import { start } from "../support/programs.ts";
import { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Kills bulk runs of the installed package, fills their disks, and continues them. */

/** The output of bulk/run.mjs. */
interface Report {
  readonly status?: "fulfilled" | "rejected" | "skipped";
  readonly key?: string;
  readonly name?: string;
  readonly message?: string;
  readonly summary?: object;
}

/** The options of a run. */
interface RunSettings {
  /** The file system call at which the run is killed. */
  readonly die?: { readonly call: string; readonly when: string; readonly nth: number };
  readonly concurrency?: number;
  /** Whether it runs as a user without permissions. */
  readonly isNobody?: boolean;
}

/** The document of a job. Each is different. */
function documentOf(n: number): Buffer {
  return Buffer.from(`%PDF-1.7\n${`document ${n}\n`.repeat(20 + ((n * 37) % 400))}%%EOF\n`);
}

/**
 * Prepares consecutive runs of the same jobs into one folder, in separate processes. Checks that a run
 * requests no document twice, and requests no document that an earlier run has reported as finished.
 */
async function setUpRuns(count: number) {
  const service = await Service.start(({ body, response }) => {
    const { n }: { n: number } = JSON.parse(body);
    const bytes = documentOf(n);
    const middle = bytes.length / 2;
    // Sends two halves after a delay, in which other jobs start.
    const send = () => {
      response.writeHead(200, { "content-length": bytes.length }).write(bytes.subarray(0, middle));
      setImmediate(() => response.end(bytes.subarray(middle)));
    };
    setTimeout(send, (n * 7) % 11);
  });
  const { baseUrl, requests } = service;
  const folder = temporaryFolder();
  const program = readFileSync(join(import.meta.dirname, "bulk/run.mjs"), "utf8");
  const project = makeProject("bulk", { "run.mjs": program });
  /** The jobs that any run has reported as finished. */
  const finished = new Set<number>();
  let runs = 0;

  const startRun = (
    settings: RunSettings = {},
    [command = "", ...flags]: readonly string[] = [process.execPath],
  ) => {
    const before = new Set(finished);
    const requestsBefore = requests.length;
    // A request of a killed run may arrive during the next run.
    const apiKey = `key-of-run-${++runs}`;
    const runSettings = JSON.stringify({ baseUrl, apiKey, folder, count, ...settings });
    const running = start(command, [...flags, join(project, "run.mjs"), runSettings], { cwd: project });
    onTestFinished(() => running.stop());
    const ended = running.ended.then(({ stdout, ...ending }) => {
      // The last line of a killed run may be incomplete.
      const lines: Report[] = stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      const own = requests.filter(({ headers }) => headers.authorization === `API-Key ${apiKey}`);
      const requested: number[] = own.map(({ body }) => JSON.parse(body).n);
      expect(new Set(requested).size, "documents requested").toBe(requested.length);
      expect(requested.filter((n) => before.has(n))).toEqual([]);
      for (const { status, key = "" } of lines)
        if (status === "fulfilled" || status === "skipped")
          finished.add(Number(/(\d+)\.pdf$/.exec(key)?.[1]));
      return { ...ending, lines, requested, last: lines.at(-1) };
    });
    /** Kills the run when it has sent this many requests. */
    const killAfter = async (sent: number) => {
      await service.request(requestsBefore + sent - 1);
      running.child.kill("SIGKILL");
    };
    return { ended, killAfter };
  };

  /** Runs the remaining jobs, and checks every document. */
  const expectRest = async (command?: readonly string[]) => {
    const { requested, last } = await startRun({}, command).ended;
    const counts = { fulfilled: requested.length, skipped: count - requested.length, rejected: 0 };
    expect(last?.summary).toMatchObject(counts);
    const paths = Array.from({ length: count }, (_, n) => `out/${n % 3}/${n}.pdf`);
    expect(filesIn(folder)).toEqual([...paths, "run.journal"].sort());
    for (const path of paths) expectDocument(folder, path);
    return requested;
  };
  return { folder, startRun, expectRest };
}

/** Expects that a file contains the whole document of its job. */
function expectDocument(folder: string, path: string): void {
  const n = Number(/(\d+)\.pdf$/.exec(path)?.[1]);
  expect(readFileSync(join(folder, path)).equals(documentOf(n)), path).toBe(true);
}

/** All files in a folder by relative path. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

const calls = [
  ["rename", "before"],
  ["rename", "after"],
  ["write", "before"],
  ["write", "half"],
  ["write", "after"],
  ["datasync", "after"],
] as const;

it("a repeatedly killed run generates every document, and does not repeat finished documents", {
  timeout: 240_000,
}, async () => {
  const { startRun, expectRest } = await setUpRuns(700);
  for (let round = 0; round < 21; round++) {
    const [call, when] = calls[round % 7] ?? [];
    const nth = 1 + ((round * 11) % (call === "rename" ? 30 : 2));
    const running = startRun(call && when ? { die: { call, when, nth } } : {});
    if (!call) await running.killAfter(10 + round);
    expect((await running.ended).signal, `${call} ${when}`).toBe("SIGKILL");
  }
  await expectRest();
});

it.each<[string, readonly string[]]>([
  ["Node 26", [nodeOf(26)]],
  ["Bun", [runtimeProgram("bun")]],
  ["Deno", [runtimeProgram("deno"), "run", "--allow-all"]],
])(
  "a run that is killed in %s can continue in the current version of Node, and vice versa",
  async (_title, command) => {
    const { startRun, expectRest } = await setUpRuns(150);
    for (const before of [command, [process.execPath]]) {
      const running = startRun({}, before);
      await running.killAfter(40);
      expect((await running.ended).signal).toBe("SIGKILL");
    }
    await expectRest(command);
  },
);

/** Mounts a small disk at a folder. Only root can do that. */
function mountDisk(folder: string): void {
  mkdirSync(folder, { recursive: true });
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]).status).toBe(0);
  const unmount = () => void spawnSync("umount", ["--lazy", folder]);
  const forget = atEnd(unmount);
  onTestFinished(() => {
    unmount();
    forget();
  });
}

const isRoot = process.getuid?.() === 0 && process.platform === "linux";

it.runIf(isRoot).each([
  ["the documents and the journal", ""],
  ["the documents", "out"],
])("a run stops if the disk for %s is full, and can continue later", async (_title, inner) => {
  const { startRun, folder, expectRest } = await setUpRuns(120);
  const disk = join(folder, inner);
  mountDisk(disk);
  const first = await startRun({ concurrency: 4 }).ended;
  expect(first.exitCode).toBe(0);
  expect(first.last?.message).toMatch(/: the disk is full/);
  if (inner !== "") expect(first.last?.name).toBe("RunStoppedError");
  const documents = filesIn(folder).filter((path) => path.startsWith("out/"));
  // The run sends nothing after it has noticed that the disk is full.
  expect(first.requested.length).toBeLessThan(documents.length + 30);
  for (const path of documents) expectDocument(folder, path);
  spawnSync("mount", ["-o", "remount,size=16m", disk]);
  await expectRest();
});

it.runIf(isRoot).each([
  ["is on a read-only file system", false, /is read-only/],
  ["belongs to another user", true, /is not writable: this process does not have permission to write there/],
])("a run sends no requests if its folder %s", async (_title, isNobody, message) => {
  const { startRun, folder } = await setUpRuns(20);
  const out = join(folder, "out");
  if (isNobody) {
    mkdirSync(out);
    chmodSync(folder, 0o777);
  } else {
    mountDisk(out);
    spawnSync("mount", ["-o", "remount,ro", out]);
  }
  const { requested, last } = await startRun({ isNobody }).ended;
  expect(requested).toEqual([]);
  expect(JSON.stringify(last)).toMatch(message);
});
