import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ConfigurationError,
  type PendingPdf,
  SaveError,
  type TemplatePdf,
  template,
  ValuesError,
} from "template-pdf";
import {
  type BulkProgress,
  type BulkResult,
  type BulkSummary,
  folder,
  JournalError,
  RunStoppedError,
  runBulk,
  type Sink,
} from "template-pdf/bulk";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { Service, saying, withLength } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { byNumber, jobsOf, numberOf, small } from "./many.ts";

type Jobs = ReturnType<typeof jobsOf>;

/** A sink that reads documents, and keeps nothing. */
const reading: Sink = { put: (_key, pdf) => pdf.bytes() };

/** A run of jobs into a folder of its own. */
async function setUp(answer = withLength(small)) {
  const service = await Service.start(answer);
  const { path: at, remove } = makeTemporaryFolder("bulk");
  onTestFinished(remove);
  const client = service.client() as TemplatePdf;
  const run = (jobs: Jobs, options: object = {}): Promise<BulkSummary> =>
    runBulk({
      client,
      jobs,
      sink: folder("out/{{n}}.pdf", { root: at }),
      journal: join(at, "run.journal"),
      concurrency: 8,
      ...options,
    });
  const files = async (inner = "out") => (await readdir(join(at, inner))).sort();
  return { service, at, client, run, files };
}

describe("runBulk", () => {
  it("stores every document and counts the results", async () => {
    const { run, files, at } = await setUp();
    const summary = await run(jobsOf(5));
    expect(summary).toEqual({
      fulfilled: 5,
      skipped: 0,
      rejected: 0,
      changed: 0,
      missing: 0,
      failures: [],
      durationMs: expect.any(Number),
    });
    expect(await files()).toEqual(["0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf"]);
    expect((await readFile(join(at, "out/3.pdf"))).equals(small)).toBe(true);
  });

  it("requests new and changed jobs, and skips finished ones", async () => {
    const { run, service, files } = await setUp();
    await run(jobsOf(4));
    const jobs = jobsOf(6).map((job) => ({
      ...job,
      values: { ...job.values, ...(job.values.n === 2 && { extra: 1 }) },
    }));
    const summary = await run(jobs.slice(1));
    expect(summary).toMatchObject({ fulfilled: 3, skipped: 2, changed: 1, missing: 1 });
    expect(service.requests.slice(4).map(numberOf).sort()).toEqual([2, 4, 5]);
    expect((await files()).length).toBe(6);
    expect(await run(jobs)).toMatchObject({ fulfilled: 0, skipped: 6, changed: 0, missing: 0 });
  });

  it("requests a failed job again in the next run", async () => {
    let isBroken = true;
    const { run } = await setUp((received) =>
      (isBroken && numberOf(received) === 1 ? saying(422) : withLength(small))(received),
    );
    expect(await run(jobsOf(3))).toMatchObject({ fulfilled: 2, rejected: 1 });
    isBroken = false;
    expect(await run(jobsOf(3))).toMatchObject({ fulfilled: 1, skipped: 2, rejected: 0 });
  });

  it("starts over with `fresh`, and keeps the old journal", async () => {
    const { run, at } = await setUp();
    await run(jobsOf(2));
    const before = await readFile(join(at, "run.journal"), "utf8");
    expect(await run(jobsOf(2), { fresh: true })).toMatchObject({ fulfilled: 2, skipped: 0 });
    expect(await readFile(join(at, "run.journal.old"), "utf8")).toBe(before);
  });

  it("reports the result of every job with its key", async () => {
    const { run } = await setUp(byNumber({ 2: saying(400) }));
    await run(jobsOf(1));
    const told: BulkResult<unknown>[] = [];
    await run(jobsOf(3), { onResult: (result: BulkResult<unknown>) => told.push(result) });
    expect(told.map(({ index, key, status }) => [index, key, status]).sort()).toEqual([
      [0, "out/0.pdf", "skipped"],
      [1, "out/1.pdf", "fulfilled"],
      [2, "out/2.pdf", "rejected"],
    ]);
  });

  it("passes any sink the document, its key and its job", async () => {
    const { run } = await setUp();
    const stored = new Map<string, number>();
    const sink: Sink = {
      async put(key, pdf, { job, index, attempt }) {
        expect((job as Jobs[number]).values.n).toBe(index);
        stored.set(key, (await pdf.bytes()).length + attempt);
      },
    };
    const key = ({ values }: Jobs[number]) => values.n;
    await run(jobsOf(3), { sink, key });
    expect([...stored].sort()).toEqual([
      ["0", 1001],
      ["1", 1001],
      ["2", 1001],
    ]);
  });

  it("does not record a document that the sink did not read to its end", async () => {
    const { run } = await setUp();
    const sink: Sink = { put: async () => {} };
    const options = { sink, key: ({ values }: Jobs[number]) => values.n };
    expect(await run(jobsOf(2), options)).toMatchObject({ fulfilled: 0, rejected: 2 });
    expect(await run(jobsOf(2), options)).toMatchObject({ skipped: 0 });
  });

  it("syncs the sink before it writes journal lines", async () => {
    const { run, at } = await setUp();
    let put = 0;
    const synced: number[] = [];
    const sink: Sink = {
      async put(_key, pdf) {
        await pdf.bytes();
        put++;
      },
      async sync() {
        const lines = (await readFile(join(at, "run.journal"), "utf8")).trim().split("\n").length - 1;
        synced.push(put, lines);
      },
    };
    await run(jobsOf(5), { sink, key: ({ values }: Jobs[number]) => values.n });
    // Nothing is recorded before it was synced.
    expect(synced.length).toBeGreaterThan(0);
    for (let at = 0; at < synced.length; at += 2)
      expect(synced[at]).toBeGreaterThan(synced[at + 1] as number);
  });

  it("refuses a second job of the same path, and keeps the first document", async () => {
    const { run, service } = await setUp();
    const jobs = [...jobsOf(2), { template: "t", values: { n: 0, other: true } }] as unknown as Jobs;
    const told: BulkResult<unknown>[] = [];
    const summary = await run(jobs, { onResult: (result: BulkResult<unknown>) => told.push(result) });
    expect(summary).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(service.requests.length).toBe(2);
    const error = told.find(({ index }) => index === 2) as { error?: unknown };
    expect(SaveError.is(error.error) && error.error.message).toMatch(
      /: its path is that of job 0, too, which job 2 would overwrite\. Nothing was sent for it\.$/,
    );
  });

  it("refuses a second job of the same key", async () => {
    const { run, service } = await setUp();
    const { failures } = await run(jobsOf(3), { key: () => "same" });
    expect(failures).toEqual([
      {
        code: "invalid_configuration",
        count: 2,
        indexes: [1, 2],
        message:
          "Job 1 has the same key as job 0, and a key identifies one document. Nothing was sent for it.",
      },
    ]);
    expect(service.requests.length).toBe(1);
  });

  it.each([
    [{}, "is missing"],
    [{ name: "" }, "is empty"],
    [{ name: null }, "is null"],
    [{ name: { a: 1 } }, "is a value of type object"],
  ])("refuses values that make no path: %j", async (values, why) => {
    const { run, at } = await setUp();
    const told: BulkResult<unknown>[] = [];
    await run([{ template: "t", values }] as unknown as Jobs, {
      sink: folder("out/{{name}}.pdf", { root: at }),
      onResult: (result: BulkResult<unknown>) => told.push(result),
    });
    const [result] = told;
    expect(result?.status === "rejected" && ValuesError.is(result.error) && result.error.message).toBe(
      `The values for template "t" make no path: "name" ${why}, and the path of the document is made of it. Nothing was sent for it.`,
    );
  });

  it.each([
    [
      () => folder("{{a}}.pdf", { rot: "/srv" } as never),
      "Unknown folder option `rot`. Did you mean `root`?",
    ],
    [() => folder("{{a}}.pdf", { root: 5 } as never), "Expected `root` to be a text that is not empty"],
    [
      () => folder(undefined as never),
      "A folder needs to know the path of each document, and got a value of type",
    ],
    [
      () => folder(42 as never),
      "A folder needs to know the path of each document, and got a value of type number.",
    ],
  ])("refuses invalid options of a folder: %#", (make, message) => {
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  it.each([
    ["out/invoice.pdf", "has no placeholder"],
    ["out/{{}}.pdf", "has braces that are no placeholder"],
    ["out/{{a}}{{.pdf", "has braces that are no placeholder"],
  ])("refuses a path pattern that makes no paths: %s", (text, why) => {
    expect(() => folder(text)).toThrow(
      new ConfigurationError(
        `The path ${JSON.stringify(text)} ${why}, and every document needs a path of its own. Name a member of the values in it, as in "out/{{invoice_no}}.pdf".`,
      ),
    );
  });

  it("refuses the journal of another run, and leaves it as it is", async () => {
    const { run, at, service } = await setUp();
    await run(jobsOf(1), { name: "payslips of October" });
    const before = await readFile(join(at, "run.journal"), "utf8");
    const error = await run(jobsOf(1), { name: "payslips of November" }).catch((thrown: unknown) => thrown);
    expect(JournalError.is(error) && error.message).toMatch(/October/);
    expect(await readFile(join(at, "run.journal"), "utf8")).toBe(before);
    expect(service.requests.length).toBe(1);
  });

  it("takes over the journal of another run that finished nothing", async () => {
    const { run } = await setUp(byNumber({ 0: saying(400) }));
    expect(await run(jobsOf(1), { name: "at a wrong address" })).toMatchObject({ rejected: 1 });
    expect(await run(jobsOf(2), { name: "at the right one" })).toMatchObject({ fulfilled: 1, rejected: 1 });
  });

  it("refuses a journal whose run had another folder", async () => {
    const { run, at } = await setUp();
    await run(jobsOf(1));
    const sink = folder("out/{{n}}.pdf", { root: join(at, "elsewhere") });
    await expect(run(jobsOf(1), { sink })).rejects.toThrow(JournalError);
  });

  it("refuses a folder that is a file before it sends a request", async () => {
    const { run, at, service } = await setUp();
    await writeFile(join(at, "file"), "");
    const sink = folder("{{n}}.pdf", { root: join(at, "file") });
    await expect(run(jobsOf(1), { sink })).rejects.toThrow(
      /cannot be written to: there is a file of that name\. Nothing was sent\.$/,
    );
    expect(service.requests).toEqual([]);
  });

  it.each([
    [{ sink: undefined }, "A run needs a `sink`"],
    [{ sink: {} }, "A run needs a `sink`"],
    [{ journal: undefined }, "A run needs a `journal`"],
    [{ journal: 5 }, "Expected `journal` to be a text that is not empty, got `5` (number)."],
    [{ journal: "" }, "Expected `journal`"],
    [{ sink: { put: async () => {} } }, "A run needs a `key`"],
    [{ jurnal: "x" }, "Unknown run option `jurnal`. Did you mean `journal`?"],
    [{ client: undefined }, "A run needs a client"],
    [{ jobs: 5 }, "The jobs of a run have to be"],
  ])("refuses the options %o", async (options, message) => {
    const { run } = await setUp();
    await expect(run(jobsOf(1), options)).rejects.toThrow(message);
  });

  it("waits for asynchronous callbacks, and rejects with their error", async () => {
    const { run } = await setUp();
    const mine = new Error("my own");
    let isDone = false;
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isDone = true;
    };
    await run(jobsOf(1), { onResult: slow });
    expect(isDone).toBe(true);
    await expect(run(jobsOf(3), { onResult: () => Promise.reject(mine) })).rejects.toBe(mine);
    await expect(run(jobsOf(3), { onBegin: () => Promise.reject(mine) })).rejects.toBe(mine);
  });

  it("requests a job again if its values have no JSON form", async () => {
    const { run } = await setUp();
    const big = template("big", z.object({ total: z.bigint().transform(String) }));
    const jobs = (total: bigint) => [{ template: big, values: { total } }] as unknown as Jobs;
    const options = { sink: { put: (_key: string, pdf: PendingPdf) => pdf.bytes() }, key: () => "a" };
    expect(await run(jobs(1n), options)).toMatchObject({ fulfilled: 1, changed: 0 });
    expect(await run(jobs(2n), options)).toMatchObject({ fulfilled: 1, changed: 1, skipped: 0 });
  });

  it("rejects if the journal cannot record the replacement of a changed document", async () => {
    const { run, at } = await setUp();
    await run(jobsOf(20));
    const changed = jobsOf(20).map((job) => ({ ...job, values: { ...job.values, extra: 1 } }));
    const sink = { ...reading, sync: () => Promise.reject(new Error("not synced")) };
    const key = ({ values }: Jobs[number]) => values.n;
    await expect(run(changed, { sink, key, journal: join(at, "other") })).rejects.toThrow("not synced");
    await run(jobsOf(20), { sink: reading, key, journal: join(at, "third") });
    await expect(run(changed, { sink, key, journal: join(at, "third") })).rejects.toThrow("not synced");
  });

  it("does not open the source of the jobs if it cannot begin", async () => {
    const { run, at } = await setUp();
    await writeFile(join(at, "run.journal"), "%PDF-1.7 no journal");
    let opened = 0;
    const jobs = { [Symbol.iterator]: () => jobsOf(++opened)[Symbol.iterator]() };
    await expect(run(jobs as never)).rejects.toThrow(JournalError);
    expect(opened).toBe(0);
  });

  it("rejects with what `onResult` throws, and keeps the recorded results", async () => {
    const { run } = await setUp();
    const mine = new Error("my own");
    const onResult = () => {
      throw mine;
    };
    await expect(run(jobsOf(50), { onResult, concurrency: 1 })).rejects.toBe(mine);
    const summary = await run(jobsOf(50));
    expect(summary.skipped).toBeGreaterThan(0);
    expect(summary.skipped + summary.fulfilled).toBe(50);
  });

  it("yields to timers and signals while it skips finished jobs", async () => {
    const { run } = await setUp();
    const sink: Sink = { put: (_key, pdf) => pdf.bytes() };
    const options = { sink, key: ({ values }: Jobs[number]) => values.n, concurrency: 32 };
    await run(jobsOf(1200), options);
    const ending = new AbortController();
    let skipped = 0;
    const onResult = () => {
      if (skipped++ === 0) setTimeout(() => ending.abort("enough"));
    };
    await expect(run(jobsOf(1200), { ...options, onResult, signal: ending.signal })).rejects.toBe("enough");
    expect(skipped).toBeLessThan(1200);
    expect(await run(jobsOf(1200), options)).toMatchObject({ skipped: 1200 });
  });

  it.each([
    [undefined, "a value of type undefined"],
    ["", "empty"],
    [Number.NaN, "a value of type number"],
    [{}, "a value of type object"],
  ])("rejects a job whose key is neither text nor number: %o", async (key, what) => {
    const { run, service } = await setUp();
    const { failures } = await run(jobsOf(1), { key: () => key });
    expect(failures[0]?.message).toBe(
      `The key of job 0 is ${what}; it has to be a text or a number. Nothing was sent for it.`,
    );
    expect(service.requests).toEqual([]);
  });

  it("continues in the next run after an abort", async () => {
    const { run, service } = await setUp();
    const ending = new AbortController();
    const onResult = ({ index }: { index: number }) => index === 5 && ending.abort("enough");
    await expect(run(jobsOf(50), { signal: ending.signal, onResult, concurrency: 2 })).rejects.toBe("enough");
    const summary = await run(jobsOf(50));
    expect(summary.skipped).toBeGreaterThan(4);
    expect(summary.skipped + summary.fulfilled).toBe(50);
    expect(service.requests.length).toBeLessThanOrEqual(52);
  });

  it("reports its progress in the error when it is stopped", async () => {
    const { run } = await setUp(byNumber({ 3: saying(400) }));
    const error = await run(jobsOf(50), { stopAfter: 1, concurrency: 1 }).catch((thrown: unknown) => thrown);
    expect(RunStoppedError.is(error) && error.summary).toMatchObject({
      fulfilled: 3,
      rejected: 1,
      missing: undefined,
    });
    expect(await run(jobsOf(50), { concurrency: 4 })).toMatchObject({
      skipped: 3,
      fulfilled: 46,
      rejected: 1,
    });
  });

  it("stops if the disk is full, whichever sink stores the documents", async () => {
    const { run, service } = await setUp();
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const sink: Sink = {
      async put(_key, pdf) {
        await pdf.bytes();
        throw new Error("upload failed", { cause: full });
      },
    };
    const error = await run(jobsOf(50), {
      sink,
      key: ({ values }: Jobs[number]) => values.n,
      concurrency: 1,
    }).catch((thrown: unknown) => thrown);
    expect(RunStoppedError.is(error) && error.message).toMatch(
      /: the disk is full\. Until then 0 of its jobs/,
    );
    expect(service.requests.length).toBeLessThanOrEqual(2);
  });

  it("renders a document again if a crash hid that another input had replaced it", async () => {
    const { run, at } = await setUp();
    const journal = join(at, "run.journal");
    const jobs = (total: string) => [{ template: "t", values: { n: 1, total } }] as unknown as Jobs;
    let atCrash = "";
    const key = () => "invoice 1";
    const sink: Sink = {
      async put(_key, pdf) {
        await pdf.bytes();
        atCrash = await readFile(journal, "utf8");
      },
    };
    await run(jobs("first"), { sink, key });
    await run(jobs("second"), { sink, key });
    // As if the second run had ended between its document and the line for that.
    await writeFile(journal, atCrash);
    let finishedBefore: number | undefined;
    const onBegin = (progress: BulkProgress) => {
      ({ finishedBefore } = progress);
    };
    expect(await run([], { sink, key, onBegin })).toMatchObject({ missing: 0 });
    expect(finishedBefore).toBe(0);
    expect(await run(jobs("first"), { sink, key })).toMatchObject({ fulfilled: 1, skipped: 0, changed: 1 });
    expect(await run(jobs("first"), { sink, key })).toMatchObject({ fulfilled: 0, skipped: 1 });
  });

  it("takes a function that returns a relative or absolute path within the folder", async () => {
    const { run, at, files } = await setUp();
    const relativePath = folder(({ values }: Jobs[number]) => `a/${values.n}.pdf`, { root: at });
    await run(jobsOf(1), { sink: relativePath });
    const absolutePath = folder(({ values }: Jobs[number]) => join(at, "a", `${values.n}.pdf`), { root: at });
    await run(jobsOf(2), { sink: absolutePath });
    expect(await files("a")).toEqual(["0.pdf", "1.pdf"]);
    const outside = folder(({ values }: Jobs[number]) => join(at, "..", `${values.n}.pdf`), { root: at });
    expect(await run(jobsOf(1), { sink: outside })).toMatchObject({ rejected: 1 });
    const nothing = folder(() => undefined as never, { root: at });
    expect((await run(jobsOf(1), { sink: nothing })).failures[0]?.message).toBe(
      "The path of a document has to be a text, and is a value of type undefined.",
    );
  });

  it("resolves a dotted placeholder by nested or literal properties", async () => {
    const { run, at, files } = await setUp();
    const jobs = [
      { template: "t", values: { customer: { no: 7 } } },
      { template: "t", values: { "customer.no": 8 } },
    ] as unknown as Jobs;
    await run(jobs, { sink: folder("out/{{customer.no}}.pdf", { root: at }) });
    expect(await files()).toEqual(["7.pdf", "8.pdf"]);
  });
});
