import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../../client/every-form.ts";
import { makeProject } from "../../package/consumer.ts";
import { start } from "../../support/programs.ts";
import type { Answer } from "../../support/service.ts";
import { ScriptedService } from "../scripted-service.ts";

/** The values of a job of `run.mjs`. */
interface Values {
  readonly n: number;
  readonly shelf: number;
  readonly version?: number;
}

/** The output of `run.mjs`. */
interface Told {
  readonly status?: "fulfilled" | "rejected" | "skipped";
  readonly key?: string;
  readonly name?: string;
  readonly message?: string;
  readonly summary?: { readonly fulfilled: number; readonly skipped: number; readonly rejected: number };
}

/** The options of a run. */
interface RunSettings {
  readonly version?: number;
  /** The file system call at which the run is killed. */
  readonly die?: { readonly call: string; readonly when: string; readonly nth: number };
  /** How the run ends after this many documents. */
  readonly end?: { readonly how: string; readonly after: number };
  readonly concurrency?: number;
}

/** The jobs of `run.mjs`. Every tenth job differs between versions. */
function jobsOf(count: number, version = 0): Values[] {
  return Array.from({ length: count }, (_, n) => ({
    n,
    shelf: n % 3,
    ...(n % 10 === 0 && version > 0 && { version }),
  }));
}

/** The document of a job. Each is different. */
export function documentOf({ n, version = 0 }: Values): Buffer {
  const body = `document ${n} in version ${version}\n`.repeat(20 + ((n * 37) % 400));
  return Buffer.from(`%PDF-1.7\n${body}%%EOF\n`);
}

/** Sends the document of a job in two halves, with a delay in which other jobs start. */
const answer: Answer = ({ body, response }) => {
  const values: Values = JSON.parse(body);
  const bytes = documentOf(values);
  setTimeout(
    () => {
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2));
      setImmediate(() => response.end(bytes.subarray(bytes.length / 2)));
    },
    (values.n * 7) % 11,
  );
};

/**
 * Prepares consecutive runs of the same jobs into one folder, with the installed package in separate processes. Checks that a run
 * requests no document twice, and none that an earlier run has reported as finished.
 */
export async function setUpRuns(count: number) {
  const service = await ScriptedService.start(answer);
  const folder = temporaryFolder();
  const program = readFileSync(join(import.meta.dirname, "run.mjs"), "utf8");
  const project = makeProject("bulk", { "run.mjs": program });
  onTestFinished(() => service.close());
  /** The jobs that any run has reported as finished, as JSON. */
  const finished = new Set<string>();
  let runs = 0;

  const startRun = (
    settings: RunSettings = {},
    [command = "", ...flags]: readonly string[] = [process.execPath],
  ) => {
    const { baseUrl, requests } = service;
    const jobs = jobsOf(count, settings.version);
    const before = new Set(jobs.filter((job) => finished.has(JSON.stringify(job))).map(({ n }) => n));
    // A request of a killed run may arrive during the next.
    const apiKey = `key-of-run-${++runs}`;
    const told = JSON.stringify({ baseUrl, apiKey, folder, count, ...settings });
    const running = start(command, [...flags, join(project, "run.mjs"), told], { cwd: project });
    onTestFinished(() => running.stop());
    const ended = running.ended.then(({ stdout, ...ending }) => {
      // The last line of a killed run may be incomplete.
      const lines: Told[] = stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      const own = requests.filter(({ headers }) => headers.authorization === `API-Key ${apiKey}`);
      const asked: number[] = own.map(({ body }) => JSON.parse(body).n);
      expect(new Set(asked).size, "documents requested").toBe(asked.length);
      expect(asked.filter((n) => before.has(n))).toEqual([]);
      for (const { status, key = "" } of lines) {
        const job = jobs[Number(/(\d+)\.pdf$/.exec(key)?.[1])];
        if (status === "fulfilled" || status === "skipped") finished.add(JSON.stringify(job));
      }
      return { ...ending, lines, asked, last: lines.at(-1) };
    });
    return { ended, kill: () => running.child.kill("SIGKILL") };
  };

  /** Runs the remaining jobs, and checks every document. */
  const expectRest = async (settings: RunSettings = {}, command?: readonly string[]) => {
    const { asked, last } = await startRun(settings, command).ended;
    expect(last?.summary).toMatchObject({
      fulfilled: asked.length,
      skipped: count - asked.length,
      rejected: 0,
    });
    const paths = new Map(
      jobsOf(count, settings.version).map((job) => [`out/${job.shelf}/${job.n}.pdf`, job]),
    );
    expect(filesIn(folder)).toEqual([...paths.keys(), "run.journal"].sort());
    for (const [path, job] of paths)
      expect(readFileSync(join(folder, path)).equals(documentOf(job)), path).toBe(true);
    return asked;
  };
  return { service, folder, startRun, expectRest };
}

/** All files in a folder by relative path. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}
