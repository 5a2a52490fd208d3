import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, template } from "template-pdf";
import { type BulkProgress, type BulkResult, folder, JournalError, type Sink } from "template-pdf/bulk";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { rejectionOf, saying } from "../support/service.ts";
import { byNumber, type Jobs, jobsOf, numberOf, setUpRun, small } from "./many.ts";

/** A sink that reads documents and stores nothing. */
const reading: Sink = { put: (_key, pdf) => pdf.bytes() };
const key = ({ values }: Jobs[number]) => values.n;
const jobsWith = (...values: object[]) => values.map((each) => ({ template: "t", values: each })) as Jobs;

describe("runBulk", () => {
  it("stores every document and counts the results", async () => {
    const { run, files, at } = await setUpRun();
    const counts = { fulfilled: 5, skipped: 0, rejected: 0, invalid: 0, changed: 0, missing: 0 };
    expect(await run(jobsOf(5))).toEqual({ ...counts, failures: [], durationMs: expect.any(Number) });
    expect(await files()).toEqual(["0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf"]);
    expect((await readFile(join(at, "out/3.pdf"))).equals(small)).toBe(true);
  });

  it("sends only new and changed jobs", async () => {
    const { run, service, files } = await setUpRun();
    await run(jobsOf(4));
    const jobs = jobsWith(...[0, 1, 2, 3, 4, 5].map((n) => (n === 2 ? { n, extra: 1 } : { n })));
    const onBegin = vi.fn<(progress: BulkProgress) => void>();
    const summary = await run(jobs.slice(1), { onBegin });
    expect(summary).toMatchObject({ fulfilled: 3, skipped: 2, changed: 1, missing: 1 });
    expect(onBegin.mock.calls).toMatchObject([[{ finishedBefore: 4, damagedLines: 0 }]]);
    expect(service.requests.slice(4).map(numberOf).sort()).toEqual([2, 4, 5]);
    expect((await files()).length).toBe(6);
    expect(await run(jobs)).toMatchObject({ fulfilled: 0, skipped: 6, changed: 0, missing: 0 });
  });

  it("reports the result and the key of every job", async () => {
    const { run } = await setUpRun(byNumber({ 2: saying(400) }));
    await run(jobsOf(1));
    const results: BulkResult<unknown>[] = [];
    await run(jobsOf(3), { onResult: (result: BulkResult<unknown>) => results.push(result) });
    expect(results.sort((a, b) => a.index - b.index)).toMatchObject([
      { index: 0, key: "out/0.pdf", status: "skipped" },
      { index: 1, key: "out/1.pdf", status: "fulfilled" },
      { index: 2, key: "out/2.pdf", status: "rejected" },
    ]);
  });

  it("passes every document, its key and its job to the sink", async () => {
    const { run } = await setUpRun();
    const stored: string[] = [];
    const sink: Sink = {
      async put(storedKey, pdf, { job, index, attempt }) {
        const { n } = (job as Jobs[number]).values;
        stored[index] = `${storedKey} ${n} ${attempt} ${(await pdf.bytes()).length}`;
      },
    };
    await run(jobsOf(2), { sink, key });
    expect(stored).toEqual(["0 0 1 1000", "1 1 1 1000"]);
  });

  it("does not record a document that the sink did not read completely", async () => {
    const { run } = await setUpRun();
    const sink: Sink = { put: async () => {} };
    expect(await run(jobsOf(2), { sink, key })).toMatchObject({ fulfilled: 0, rejected: 2 });
    expect(await run(jobsOf(2), { sink, key })).toMatchObject({ skipped: 0 });
  });

  const own = new Error("my own");
  const thrower = () => {
    throw own;
  };
  it.each([
    ["an `onResult` callback that throws", { onResult: thrower }],
    ["an `onResult` callback that rejects", { onResult: () => Promise.reject(own) }],
    ["an `onBegin` callback that rejects", { onBegin: () => Promise.reject(own) }],
  ])("rejects with the error from %s, and keeps the recorded results", async (_what, callbacks) => {
    const { run } = await setUpRun();
    await expect(run(jobsOf(20), { ...callbacks, concurrency: 1 })).rejects.toBe(own);
    const { skipped, fulfilled } = await run(jobsOf(20));
    if ("onResult" in callbacks) expect(skipped).toBeGreaterThan(0);
    expect(skipped + fulfilled).toBe(20);
  });

  it("does not skip a job whose values cannot be represented in JSON", async () => {
    const { run } = await setUpRun();
    const big = template("big", z.object({ total: z.bigint().transform(String) }));
    const jobs = (total: bigint) => [{ template: big, values: { total } }] as unknown as Jobs;
    const options = { sink: reading, key: () => "a" };
    expect(await run(jobs(1n), options)).toMatchObject({ fulfilled: 1, changed: 0 });
    expect(await run(jobs(2n), options)).toMatchObject({ fulfilled: 1, changed: 1, skipped: 0 });
  });

  it("rejects if a new or changed document cannot be synced", async () => {
    const { run } = await setUpRun();
    const sink = { ...reading, sync: () => Promise.reject(new Error("not synced")) };
    await expect(run(jobsOf(20), { sink, key })).rejects.toThrow("not synced");
    expect(await run(jobsOf(20), { sink: reading, key })).toMatchObject({ fulfilled: 20 });
    const changed = jobsOf(20).map((job) => ({ ...job, values: { ...job.values, extra: 1 } }));
    await expect(run(changed, { sink, key })).rejects.toThrow("not synced");
  });

  it("rejects with the summary and the reason if the run stops", async () => {
    const { run } = await setUpRun(byNumber({ 3: saying(400) }));
    const summary = expect.objectContaining({ fulfilled: 3, rejected: 1, missing: undefined });
    const stopped = run(jobsOf(20), { stopAfter: 1, concurrency: 1 });
    await expect(stopped).rejects.toMatchObject({ why: "`stopAfter: 1` was reached", summary });
    expect(await run(jobsOf(20))).toMatchObject({ skipped: 3, fulfilled: 16, rejected: 1 });
  });

  it("stops if a custom sink fails because the disk is full", async () => {
    const { run, service } = await setUpRun();
    const cause = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const failed = new Error("upload failed", { cause });
    const sink: Sink = { put: (_key, pdf) => pdf.bytes().then(() => Promise.reject(failed)) };
    const stopped = run(jobsOf(50), { sink, key, concurrency: 1 });
    await expect(stopped).rejects.toThrow(": the disk is full. 0 jobs");
    expect(service.requests.length).toBeLessThanOrEqual(2);
  });

  it("generates a document again if it was stored but not recorded before a crash", async () => {
    const { run, at } = await setUpRun();
    const journal = join(at, "run.journal");
    let atCrash = "";
    const put: Sink["put"] = async (_key, pdf) => {
      await pdf.bytes();
      atCrash = await readFile(journal, "utf8");
    };
    const sink = { put };
    const [first, second] = [jobsWith({ n: 1 }), jobsWith({ n: 1, total: 2 })];
    await run(first, { sink, key });
    await run(second, { sink, key });
    // Restores the journal, as if the second run had crashed before it wrote the line.
    await writeFile(journal, atCrash);
    expect(await run([], { sink, key })).toMatchObject({ missing: 0 });
    expect(await run(first, { sink, key })).toMatchObject({ fulfilled: 1, skipped: 0, changed: 1 });
    expect(await run(first, { sink, key })).toMatchObject({ fulfilled: 0, skipped: 1 });
  });

  it("reports the number of documents in flight, the rate and the remaining pause", async () => {
    let progress = {} as BulkProgress;
    const ending = new AbortController();
    const { run, service } = await setUpRun(async (received) => {
      if (numberOf(received) === 0) {
        await service.request(1);
        return void saying(429, "", { "retry-after": "60" })(received);
      }
      while (progress.pauseMs === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(progress).toMatchObject({ stored: 0, inHand: 2, perSecond: 500 });
      expect(progress.pauseMs).toBeGreaterThan(50_000);
      ending.abort("enough");
    });
    const onBegin = (given: BulkProgress) => {
      progress = given;
    };
    const options = { concurrency: 2, retry: { limit: 1 }, perSecond: 500, signal: ending.signal, onBegin };
    await expect(run(jobsOf(3), options)).rejects.toBe("enough");
    expect(progress.inHand).toBe(0);
  });
});

describe("runBulk with invalid input", () => {
  it("rejects a second job with the same path, and keeps the first document", async () => {
    const { run, service } = await setUpRun();
    const { fulfilled, failures } = await run(jobsWith({ n: 0 }, { n: 1 }, { n: 0, other: true }));
    expect({ fulfilled, requestCount: service.requests.length }).toEqual({ fulfilled: 2, requestCount: 2 });
    const message =
      /: its path is also the path of job 0; job 2 would overwrite that document\. No request was sent for this document\.$/;
    expect(failures).toMatchObject([{ code: "not_saved", message: expect.stringMatching(message) }]);
  });

  it("rejects a second job with the same key", async () => {
    const { run, service } = await setUpRun();
    const { failures } = await run(jobsOf(3), { key: () => "same" });
    const message =
      "Job 1 has the same key as job 0. Give each job a unique key; no request was sent for this job.";
    expect(failures).toEqual([{ code: "invalid_configuration", count: 2, indexes: [1, 2], message }]);
    expect(service.requests.length).toBe(1);
  });

  it.each([
    [undefined, "undefined"],
    ["", "empty"],
    [Number.NaN, "a number"],
  ])("rejects a job with an invalid key: %o", async (key, what) => {
    const { run, service } = await setUpRun();
    const { failures } = await run(jobsOf(1), { key: () => key });
    expect(failures[0]?.message).toBe(
      `The key of job 0 is ${what}. Return a string or a number; no request was sent for this job.`,
    );
    expect(service.requests).toEqual([]);
  });

  it.each([
    [{}, "is missing"],
    [{ name: "" }, "is empty"],
    [{ name: { a: 1 } }, "is an Object"],
  ])("rejects a job whose values do not produce a valid path: %j", async (values, why) => {
    const { run, at } = await setUpRun();
    const { failures } = await run(jobsWith(values), { sink: folder("out/{{name}}.pdf", { root: at }) });
    const message = `The values for template "t" do not produce a valid path: "name" ${why}, but the path of the document needs it. No request was sent for this document.`;
    expect(failures).toMatchObject([{ code: "invalid_values", message }]);
  });

  it("rejects another run's journal, and leaves the journal unchanged", async () => {
    const { run, at, service } = await setUpRun();
    await run(jobsOf(1), { name: "payslips of October" });
    const before = await readFile(join(at, "run.journal"), "utf8");
    const error = await rejectionOf(run(jobsOf(1), { name: "payslips of November" }));
    expect(JournalError.is(error) && error.message).toMatch(/October/);
    const sink = folder("out/{{n}}.pdf", { root: join(at, "elsewhere") });
    await expect(run(jobsOf(1), { name: "payslips of October", sink })).rejects.toThrow(JournalError);
    expect(await readFile(join(at, "run.journal"), "utf8")).toBe(before);
    expect(service.requests.length).toBe(1);
  });

  it("rejects another run's journal only if the other run finished a job", async () => {
    const { run } = await setUpRun(byNumber({ 0: saying(400) }));
    expect(await run(jobsOf(1), { name: "at a wrong address" })).toMatchObject({ rejected: 1 });
    expect(await run(jobsOf(2), { name: "at the right one" })).toMatchObject({ fulfilled: 1, rejected: 1 });
  });

  it.each([
    [{ sink: undefined }, "`sink` is required"],
    [{ sink: {} }, "`sink` is required"],
    [{ sink: reading }, "`key` is required"],
    [{ journal: undefined }, "A run needs a `journal`"],
    [{ journal: 5 }, "Expected `journal` to be a non-empty string, got `5` (number)."],
    [{ giveUpAfter: -1 }, "`giveUpAfter` to be a number of milliseconds, 0 or more, or Infinity, got `-1`"],
    [{ onOutage: true }, "Expected `onOutage` to be a function"],
    [{ client: undefined }, "`client` is required"],
    [{ jobs: {} }, "`jobs` to be an array, a generator or another iterable of { template, values }."],
    [{ jobs: "jobs" }, "Expected `jobs` to be"],
  ])("rejects the invalid options %o", async (options, message) => {
    const { run } = await setUpRun();
    await expect(run(jobsOf(1), options)).rejects.toThrow(message);
  });
});

const hint =
  'but every document needs a unique path. Add a placeholder for a value, for example "out/{{invoice_no}}.pdf".';

it.each<[unknown, object | undefined, string]>([
  ["{{a}}.pdf", { rot: "/srv" }, "Unknown folder option `rot`. Known options: root."],
  ["{{a}}.pdf", { root: 5 }, "Expected `root` to be a non-empty string"],
  [42, undefined, "Expected the path of each document, got a number."],
  ["out/invoice.pdf", undefined, `The path "out/invoice.pdf" has no placeholders, ${hint}`],
  ["out/{{}}.pdf", undefined, `The path "out/{{}}.pdf" has stray braces, ${hint}`],
  ["out/{{a}}{{.pdf", undefined, `The path "out/{{a}}{{.pdf" has stray braces, ${hint}`],
])("folder() throws if the path is %j and the options are %j", (path, options, message) => {
  const make = () => folder(path as never, options as never);
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(message);
});
