import { appendFile, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JobState, Journal } from "../../src/bulk/journal/journal.ts";
import { type JournalOptions, openJournal } from "../../src/bulk/journal/journal.ts";
import { JournalError } from "../../src/bulk/journal/journal-error.ts";
import { encodeHeader, encodeLine } from "../../src/bulk/journal/journal-format.ts";
import { newRecord } from "../../src/bulk/journal/key-table.ts";
import { TemplatePdfError } from "../../src/errors/errors.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { isWindows } from "../support/platform.ts";

const run = { template: "invoice" };
const newPath = () => join(temporaryFolder(), "run.journal");

async function open(path: string, options: Partial<JournalOptions> = {}): Promise<Journal> {
  const journal = await openJournal({ path, run, fresh: false, ...options });
  onTestFinished(() => journal.close());
  return journal;
}

/** A run of these jobs, each finished unless it was before; tells how they stood. */
async function runOf(
  path: string,
  jobs: Readonly<Record<string, string>>,
  options?: Partial<JournalOptions>,
) {
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

const refusalOf = (opening: Promise<Journal>): Promise<JournalError> =>
  opening.then(
    () => expect.unreachable("It was opened."),
    (error) => error,
  );

describe("a journal", () => {
  it("knows in the next run what was finished, what has changed, and what is gone", async () => {
    const path = join(temporaryFolder(), "deep", "er", "run.journal");
    expect(await runOf(path, { a: "1", b: "1", c: "1" })).toEqual({
      states: { a: "new", b: "new", c: "new" },
      finishedBefore: 0,
      damagedLines: 0,
      notEntered: 0,
    });
    expect(await runOf(path, { b: "2", a: "1", d: "1" })).toEqual({
      states: { b: "changed", a: "finished", d: "new" },
      finishedBefore: 3,
      damagedLines: 0,
      notEntered: 1,
    });
    // The last line of a key holds.
    const { states } = await runOf(path, { a: "1", b: "2", c: "1", d: "1" });
    expect(new Set(Object.values(states))).toEqual(new Set(["finished"]));
    expect((await runOf(path, { b: "1" })).states).toEqual({ b: "changed" });
  });

  it("takes a job that was entered and not finished for none", async () => {
    const path = newPath();
    const journal = await open(path);
    journal.enter("a", "1", 0);
    await journal.close();
    expect((await runOf(path, { a: "1" })).states).toEqual({ a: "new" });
  });

  it("tells which job of this run has the same key, whatever its input", async () => {
    const path = newPath();
    await runOf(path, { a: "1" });
    const journal = await open(path);
    const states = ["a", "b", "a", "b", "b"].map(
      (key, index) => journal.enter(key, index < 4 ? "1" : "2", index).state,
    );
    expect(states).toEqual(["finished", "new", { sameKeyAs: 0 }, { sameKeyAs: 1 }, { sameKeyAs: 1 }]);
  });

  it("holds neither keys nor inputs, and the same job has other hashes in another", async () => {
    const [one, other] = [newPath(), newPath()];
    const jobs = { "INV-2024-0001": "Jane Doe, 1,000,000" };
    await runOf(one, jobs);
    await runOf(other, jobs);
    const [text, otherText] = await Promise.all([readFile(one, "utf8"), readFile(other, "utf8")]);
    expect(text).not.toMatch(/INV|2024-|Jane|000/);
    const [line = "", otherLine = ""] = [text, otherText].map((each) => each.split("\n")[1]);
    expect(line.slice(0, 16)).not.toBe(otherLine.slice(0, 16));
    expect(line.slice(16, 32)).not.toBe(otherLine.slice(16, 32));
  });

  it("makes durable what lines speak of before it writes them", async () => {
    const path = newPath();
    const sizes: number[] = [];
    const beforeLines = async () => void sizes.push((await stat(path)).size);
    const journal = await open(path, { beforeLines });
    const { size } = await stat(path);
    await journal.finish(journal.enter("a", "1", 0));
    expect(sizes).toEqual([size]);
    expect((await stat(path)).size).toBeGreaterThan(size);
  });

  it("writes no line of what could not be made durable, and takes no more", async () => {
    const path = newPath();
    const error = new Error("The folder is gone.");
    const journal = await open(path, { beforeLines: () => Promise.reject(error) });
    const { size } = await stat(path);
    await expect(journal.finish(journal.enter("a", "1", 0))).rejects.toBe(error);
    await expect(journal.finish(journal.enter("b", "1", 1))).rejects.toBe(error);
    expect((await stat(path)).size).toBe(size);
  });

  it("writes at its end what waits, and then takes no more", async () => {
    const path = newPath();
    const journal = await open(path);
    const finished = journal.finish(journal.enter("a", "1", 0));
    await Promise.all([journal.close(), journal.close(), finished]);
    await expect(journal.finish(journal.enter("b", "1", 1))).rejects.toThrow(/is closed/);
    expect((await runOf(path, { a: "1", b: "1" })).states).toEqual({ a: "finished", b: "new" });
    expect(await readdir(join(path, ".."))).toEqual(["run.journal"]);
  });
});

describe("a journal that a crash left behind", () => {
  it.each([
    ["no header", 0],
    ["half a header", 40],
  ])("with %s is begun", async (_title, bytes) => {
    const path = newPath();
    await runOf(path, { a: "1" });
    await truncate(path, bytes);
    expect(await runOf(path, { a: "1" })).toMatchObject({ states: { a: "new" }, finishedBefore: 0 });
    expect((await runOf(path, { a: "1" })).states).toEqual({ a: "finished" });
  });

  it("with half a line loses that, and goes on behind the line before", async () => {
    const path = newPath();
    await runOf(path, { a: "1", b: "1" });
    await truncate(path, (await stat(path)).size - 1);
    const before = await runOf(path, { a: "1", b: "1" });
    expect(before).toMatchObject({ states: { a: "finished", b: "new" }, damagedLines: 0 });
    expect(await runOf(path, { a: "1", b: "1" })).toMatchObject({ finishedBefore: 2, damagedLines: 0 });
  });

  it("with half the header of a longer run is begun, and nothing of that stays", async () => {
    const path = newPath();
    await writeFile(path, encodeHeader({ salt: "s", run: { template: "x".repeat(500) } }).subarray(0, -1));
    await runOf(path, { a: "1" });
    expect(await readFile(path, "utf8")).not.toContain("xxxxxxxx");
    expect(await runOf(path, { a: "1" })).toMatchObject({ finishedBefore: 1, damagedLines: 0 });
  });

  it("with zeros at its end is cut back to its last whole line", async () => {
    const path = newPath();
    await runOf(path, { a: "1" });
    const { size } = await stat(path);
    await appendFile(path, Buffer.alloc(10_000));
    expect(await runOf(path, { a: "1" })).toMatchObject({ finishedBefore: 1, damagedLines: 0 });
    expect((await stat(path)).size).toBe(size);
  });

  it("with a damaged line does that job again, and says so each time", async () => {
    const path = newPath();
    await runOf(path, { a: "1", b: "1" });
    const text = await readFile(path, "utf8");
    const lines = text.split("\n");
    lines[1] = (lines[1] as string).replace(/./, "!");
    await writeFile(path, lines.join("\n"));
    const again = await runOf(path, { a: "1", b: "1" });
    expect(again).toMatchObject({ states: { a: "new", b: "finished" }, damagedLines: 1 });
    expect(await runOf(path, { a: "1", b: "1" })).toMatchObject({ finishedBefore: 2, damagedLines: 1 });
  });
});

describe("a journal is refused", () => {
  const other = encodeHeader({ salt: "s", run: { template: "receipt", data: "may.csv" } });
  const damaged = Buffer.from(encodeHeader({ salt: "s", run }).toString().replace("invoice", "invoicf"));

  it.each<[string, string | Buffer, RegExp]>([
    [
      "of another run",
      other + encodeLine(newRecord().fill(7)),
      /another run: template was "receipt" and is now "invoice", data was "may\.csv" and is now not set;/,
    ],
    ["that is a table", "invoice_no,total\n1,2\n", /is none: the file there is something else/],
    ["that is a document", "%PDF-1.7\n", /is none:/],
    ["that is other JSON", '{"format":"something"}\n', /is none:/],
    ["that is text without an end", "hello", /is none:/],
    ["whose first line is damaged", damaged, /first line is damaged/],
  ])("%s, and left as it is", async (_title, content, message) => {
    const path = newPath();
    await writeFile(path, content);
    const error = await refusalOf(open(path));
    expect(error.message).toMatch(message);
    expect(error.message).toContain(JSON.stringify(path));
    expect(error.message).not.toContain("\n");
    expect(JournalError.is(error) && TemplatePdfError.is(error)).toBe(true);
    expect(error).toMatchObject({ name: "JournalError", code: "journal_failed", path, attempts: 0 });
    expect(await readFile(path)).toEqual(Buffer.from(content));
    expect(await readdir(join(path, ".."))).toEqual(["run.journal"]);
  });

  it("that is a folder, or in a folder that is a file", async () => {
    const path = newPath();
    await mkdir(path);
    // Windows opens a folder, too.
    const why = isWindows ? "what stands there is no file" : "it is a folder";
    expect((await refusalOf(open(path))).message).toContain(`cannot be opened: ${why}`);
    const file = newPath();
    await writeFile(file, "");
    expect((await refusalOf(open(join(file, "run.journal")))).message).toMatch(
      /cannot be opened: a part of its path is a file/,
    );
  });

  it.runIf(process.platform === "linux")("that is a device", async () => {
    const path = newPath();
    await symlink("/dev/null", path);
    const { message } = await refusalOf(open(path));
    expect(message).toMatch(/cannot be opened: what stands there is no file/);
  });
});

describe("starting over", () => {
  it("puts the journal aside, in the stead of an older one", async () => {
    const path = newPath();
    for (const data of ["one", "two", "three"]) {
      const told = await runOf(path, { a: "1" }, { run: { data }, fresh: true });
      expect(told).toMatchObject({ states: { a: "new" }, finishedBefore: 0 });
    }
    expect(await readFile(`${path}.old`, "utf8")).toContain("two");
    expect((await readdir(join(path, ".."))).sort()).toEqual(["run.journal", "run.journal.old"]);
    expect((await runOf(path, { a: "1" }, { run: { data: "three" } })).states).toEqual({ a: "finished" });
  });

  it("puts one aside whose first line is damaged", async () => {
    const path = newPath();
    await runOf(path, { a: "1" });
    const text = (await readFile(path, "utf8")).replace("invoice", "invoicf");
    await writeFile(path, text);
    await runOf(path, { a: "1" }, { fresh: true });
    expect(await readFile(`${path}.old`, "utf8")).toBe(text);
  });

  it("leaves alone what is no journal", async () => {
    const path = newPath();
    await writeFile(path, "invoice_no,total\n");
    expect((await refusalOf(open(path, { fresh: true }))).message).toMatch(/is none:/);
    expect(await readFile(path, "utf8")).toBe("invoice_no,total\n");
  });

  it("begins where nothing is, and puts no empty file aside", async () => {
    const path = newPath();
    await appendFile(path, "");
    await runOf(path, { a: "1" }, { fresh: true });
    expect(await readdir(join(path, ".."))).toEqual(["run.journal"]);
  });
});
