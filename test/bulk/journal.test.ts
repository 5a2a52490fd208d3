import { appendFile, mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JobState, Journal } from "../../src/bulk/journal/journal.ts";
import { type JournalOptions, openJournal } from "../../src/bulk/journal/journal.ts";
import { JournalError } from "../../src/bulk/journal/journal-error.ts";
import { encodeHeader, encodeLine } from "../../src/bulk/journal/journal-format.ts";
import { newRecord } from "../../src/bulk/journal/key-table.ts";
import { isWindows } from "../support/platform.ts";
import { rejectionOf } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = { template: "invoice" };
const damagedHeader = encodeHeader({ salt: "s", run }).toString().replace("invoice", "invoicf");
const newPath = () => join(temporaryFolder(), "run.journal");
const filesNextTo = async (path: string) => (await readdir(join(path, ".."))).sort();

async function open(path: string, options: Partial<JournalOptions> = {}): Promise<Journal> {
  const journal = await openJournal({ path, run, fresh: false, ...options });
  onTestFinished(() => journal.close());
  return journal;
}

/** Finishes each of these jobs that is not finished. Returns the job states and the journal's counts. */
async function runOf(path: string, jobs: Record<string, string>, options?: Partial<JournalOptions>) {
  const journal = await open(path, options);
  const states: Record<string, JobState> = {};
  const finishing: Promise<void>[] = [];
  for (const [index, [key, input]] of Object.entries(jobs).entries()) {
    const entry = journal.enter(key, input, index);
    states[key] = entry.state;
    if (entry.state === "new" || entry.state === "changed") finishing.push(journal.finish(entry));
  }
  await Promise.all(finishing);
  await journal.close();
  const { finishedBefore, damagedLines, notEntered } = journal;
  return { states, finishedBefore, damagedLines, notEntered };
}

const refusalOf = (opening: Promise<Journal>) => rejectionOf(opening) as Promise<JournalError>;

describe("a journal", () => {
  it("reports finished, changed and missing jobs to the next run", async () => {
    const path = join(temporaryFolder(), "deep", "er", "run.journal");
    expect(await runOf(path, { a: "1", b: "1", c: "1" })).toEqual({
      states: { a: "new", b: "new", c: "new" },
      ...{ finishedBefore: 0, damagedLines: 0, notEntered: 0 },
    });
    expect(await runOf(path, { b: "2", a: "1", d: "1" })).toEqual({
      states: { b: "changed", a: "finished", d: "new" },
      ...{ finishedBefore: 3, damagedLines: 0, notEntered: 1 },
    });
    // The last line of each key counts.
    const { states } = await runOf(path, { a: "1", b: "2", c: "1", d: "1" });
    expect(new Set(Object.values(states))).toEqual(new Set(["finished"]));
    expect((await runOf(path, { b: "1" })).states).toEqual({ b: "changed" });
  });

  it("stores keys and inputs as hashes that differ between journals", async () => {
    const lines: string[] = [];
    for (const path of [newPath(), newPath()]) {
      await runOf(path, { "INV-2024-0001": "Jane Doe, 1,000,000" });
      const text = await readFile(path, "utf8");
      expect(text).not.toMatch(/INV|2024-|Jane|1,000/);
      lines.push(text.split("\n")[1] ?? "");
    }
    const hashes = lines.flatMap((line) => [line.slice(0, 16), line.slice(16, 32)]);
    expect(new Set(hashes).size).toBe(4);
  });

  it("makes documents durable before it writes the lines that record them", async () => {
    const path = newPath();
    const sizes: number[] = [];
    const journal = await open(path, { beforeLines: async () => void sizes.push((await stat(path)).size) });
    const { size } = await stat(path);
    await journal.finish(journal.enter("a", "1", 0));
    expect(sizes).toEqual([size]);
    expect((await stat(path)).size).toBeGreaterThan(size);
  });

  it("does not record a document that cannot be made durable", async () => {
    const path = newPath();
    const error = new Error("The folder is gone.");
    const journal = await open(path, { beforeLines: () => Promise.reject(error) });
    const { size } = await stat(path);
    await expect(journal.finish(journal.enter("a", "1", 0))).rejects.toBe(error);
    await expect(journal.finish(journal.enter("b", "1", 1))).rejects.toBe(error);
    expect((await stat(path)).size).toBe(size);
  });

  it("writes pending lines when it is closed, and then rejects new lines", async () => {
    const path = newPath();
    const journal = await open(path);
    const finished = journal.finish(journal.enter("a", "1", 0));
    await Promise.all([journal.close(), journal.close(), finished]);
    await expect(journal.finish(journal.enter("b", "1", 1))).rejects.toThrow(/is closed/);
    expect((await runOf(path, { a: "1", b: "1" })).states).toEqual({ a: "finished", b: "new" });
    expect(await filesNextTo(path)).toEqual(["run.journal"]);
  });
});

describe("a journal after a crash", () => {
  interface CrashedJournal {
    /** What the crash does to a journal with the finished jobs a and b. */
    damage: (path: string) => Promise<unknown>;
    /** What the next run finds, before it finishes the jobs again. */
    expected: { states: Record<"a" | "b", "new" | "finished">; damagedLines: number };
  }

  const longHeader = encodeHeader({ salt: "s", run: { template: "x".repeat(500) } });

  it.each(
    Object.entries<CrashedJournal>({
      "starts over if its header is incomplete": {
        damage: (path) => writeFile(path, longHeader.subarray(0, -1)),
        expected: { states: { a: "new", b: "new" }, damagedLines: 0 },
      },
      "loses only the last job if its last line is incomplete": {
        damage: async (path) => truncate(path, (await stat(path)).size - 1),
        expected: { states: { a: "finished", b: "new" }, damagedLines: 0 },
      },
      "keeps all lines if it ends with NUL bytes": {
        damage: (path) => appendFile(path, Buffer.alloc(10_000)),
        expected: { states: { a: "finished", b: "finished" }, damagedLines: 0 },
      },
      "loses only one job if one line is damaged": {
        damage: async (path) => writeFile(path, (await readFile(path, "utf8")).replace(/\n./, "\n!")),
        expected: { states: { a: "new", b: "finished" }, damagedLines: 1 },
      },
    }),
  )("%s", async (_, { damage, expected }) => {
    const path = newPath();
    const jobs = { a: "1", b: "1" };
    await runOf(path, jobs);
    const { size } = await stat(path);
    await damage(path);
    expect(await runOf(path, jobs)).toMatchObject(expected);
    // Nothing is left of an incomplete header, or of NUL bytes.
    expect(await readFile(path, "latin1")).not.toMatch(/\0|x{50}/);
    expect(await runOf(path, jobs)).toMatchObject({ finishedBefore: 2, damagedLines: expected.damagedLines });
    const lineBytes = encodeLine(newRecord()).length;
    expect((await stat(path)).size).toBe(size + expected.damagedLines * lineBytes);
  });
});

describe("opening a journal", () => {
  const other = encodeHeader({ salt: "s", run: { template: "receipt", data: "may.csv" } });

  it.each<
    [
      title: string,
      row: { readonly content: string | Buffer; readonly fresh: boolean; readonly message: RegExp },
    ]
  >([
    [
      "another run's journal",
      {
        content: other + encodeLine(newRecord().fill(7)),
        fresh: false,
        message:
          /another run: template was "receipt" and is now "invoice", data was "may\.csv" and is now not set\. Use another journal/,
      },
    ],
    [
      "a CSV file",
      {
        content: "invoice_no,total\n1,2\n",
        fresh: false,
        message: /is not a journal, so the file was left unchanged/,
      },
    ],
    [
      "a text file, even with `fresh`",
      { content: "hello", fresh: true, message: /is not a journal, so the file was left unchanged/ },
    ],
    [
      "a journal whose first line is damaged",
      { content: damagedHeader, fresh: false, message: /first line is damaged/ },
    ],
  ])("fails for %s, and leaves the file unchanged", async (_title, { content, fresh, message }) => {
    const path = newPath();
    await writeFile(path, content);
    const error = await refusalOf(open(path, { fresh }));
    expect(error.message).toMatch(message);
    expect(error.message).toContain(JSON.stringify(path));
    expect(error.message).not.toContain("\n");
    expect(JournalError.is(error)).toBe(true);
    expect(error).toMatchObject({ name: "JournalError", code: "journal_failed", path, attempts: 0 });
    expect(await readFile(path)).toEqual(Buffer.from(content));
    expect(await filesNextTo(path)).toEqual(["run.journal"]);
  });

  it("fails if the path is a folder or its parent folder is a file", async () => {
    const [path, file] = [newPath(), newPath()];
    await mkdir(path);
    // Windows can open a folder too.
    const why = isWindows ? "what stands there is no file" : "it is a folder";
    expect((await refusalOf(open(path))).message).toContain(`cannot be opened: ${why}`);
    await writeFile(file, "");
    const { message } = await refusalOf(open(join(file, "run.journal")));
    expect(message).toContain("cannot be opened: a part of its path is a file");
  });
});

describe("starting over with `fresh`", () => {
  it("renames the journal and replaces an older backup", async () => {
    const path = newPath();
    for (const data of ["one", "two", "three"]) {
      const begun = await runOf(path, { a: "1" }, { run: { data }, fresh: true });
      expect(begun).toMatchObject({ states: { a: "new" }, finishedBefore: 0 });
    }
    expect(await readFile(`${path}.old`, "utf8")).toContain("two");
    expect(await filesNextTo(path)).toEqual(["run.journal", "run.journal.old"]);
    expect((await runOf(path, { a: "1" }, { run: { data: "three" } })).states).toEqual({ a: "finished" });
  });

  it("renames a journal whose first line is damaged, but not an empty file", async () => {
    const path = newPath();
    await writeFile(path, "");
    await (await open(path, { fresh: true })).close();
    expect(await filesNextTo(path)).toEqual(["run.journal"]);
    await writeFile(path, damagedHeader);
    await runOf(path, { a: "1" }, { fresh: true });
    expect(await readFile(`${path}.old`, "utf8")).toBe(damagedHeader);
  });
});
