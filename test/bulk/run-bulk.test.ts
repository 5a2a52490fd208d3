import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PendingPdf, template } from "template-pdf";
import {
  type BulkProgress,
  type BulkResult,
  JournalError,
  RunStoppedError,
  type Sink,
} from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { saying, withLength } from "../support/service.ts";
import { byNumber, type Jobs, jobsOf, numberOf, setUpRun, small } from "./many.ts";

/** A sink that reads documents, and keeps nothing. */
const reading: Sink = { put: (_key, pdf) => pdf.bytes() };

describe("runBulk", () => {
  it("stores every document and counts the results", async () => {
    const { run, files, at } = await setUpRun();
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
    const { run, service, files } = await setUpRun();
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
    const { run } = await setUpRun((received) =>
      (isBroken && numberOf(received) === 1 ? saying(422) : withLength(small))(received),
    );
    expect(await run(jobsOf(3))).toMatchObject({ fulfilled: 2, rejected: 1 });
    isBroken = false;
    expect(await run(jobsOf(3))).toMatchObject({ fulfilled: 1, skipped: 2, rejected: 0 });
  });

  it("starts over with `fresh`, and keeps the old journal", async () => {
    const { run, at } = await setUpRun();
    await run(jobsOf(2));
    const before = await readFile(join(at, "run.journal"), "utf8");
    expect(await run(jobsOf(2), { fresh: true })).toMatchObject({ fulfilled: 2, skipped: 0 });
    expect(await readFile(join(at, "run.journal.old"), "utf8")).toBe(before);
  });

  it("reports the result of every job with its key", async () => {
    const { run } = await setUpRun(byNumber({ 2: saying(400) }));
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
    const { run } = await setUpRun();
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
    const { run } = await setUpRun();
    const sink: Sink = { put: async () => {} };
    const options = { sink, key: ({ values }: Jobs[number]) => values.n };
    expect(await run(jobsOf(2), options)).toMatchObject({ fulfilled: 0, rejected: 2 });
    expect(await run(jobsOf(2), options)).toMatchObject({ skipped: 0 });
  });

  it("syncs the sink before it writes journal lines", async () => {
    const { run, at } = await setUpRun();
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

  it("waits for asynchronous callbacks, and rejects with their error", async () => {
    const { run } = await setUpRun();
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
    const { run } = await setUpRun();
    const big = template("big", z.object({ total: z.bigint().transform(String) }));
    const jobs = (total: bigint) => [{ template: big, values: { total } }] as unknown as Jobs;
    const options = { sink: { put: (_key: string, pdf: PendingPdf) => pdf.bytes() }, key: () => "a" };
    expect(await run(jobs(1n), options)).toMatchObject({ fulfilled: 1, changed: 0 });
    expect(await run(jobs(2n), options)).toMatchObject({ fulfilled: 1, changed: 1, skipped: 0 });
  });

  it("rejects if the journal cannot record the replacement of a changed document", async () => {
    const { run, at } = await setUpRun();
    await run(jobsOf(20));
    const changed = jobsOf(20).map((job) => ({ ...job, values: { ...job.values, extra: 1 } }));
    const sink = { ...reading, sync: () => Promise.reject(new Error("not synced")) };
    const key = ({ values }: Jobs[number]) => values.n;
    await expect(run(changed, { sink, key, journal: join(at, "other") })).rejects.toThrow("not synced");
    await run(jobsOf(20), { sink: reading, key, journal: join(at, "third") });
    await expect(run(changed, { sink, key, journal: join(at, "third") })).rejects.toThrow("not synced");
  });

  it("does not open the source of the jobs if it cannot begin", async () => {
    const { run, at } = await setUpRun();
    await writeFile(join(at, "run.journal"), "%PDF-1.7 no journal");
    let opened = 0;
    const jobs = { [Symbol.iterator]: () => jobsOf(++opened)[Symbol.iterator]() };
    await expect(run(jobs as never)).rejects.toThrow(JournalError);
    expect(opened).toBe(0);
  });

  it("rejects with what `onResult` throws, and keeps the recorded results", async () => {
    const { run } = await setUpRun();
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
    const { run } = await setUpRun();
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

  it("continues in the next run after an abort", async () => {
    const { run, service } = await setUpRun();
    const ending = new AbortController();
    const onResult = ({ index }: { index: number }) => index === 5 && ending.abort("enough");
    await expect(run(jobsOf(50), { signal: ending.signal, onResult, concurrency: 2 })).rejects.toBe("enough");
    const summary = await run(jobsOf(50));
    expect(summary.skipped).toBeGreaterThan(4);
    expect(summary.skipped + summary.fulfilled).toBe(50);
    expect(service.requests.length).toBeLessThanOrEqual(52);
  });

  it("reports its progress in the error when it is stopped", async () => {
    const { run } = await setUpRun(byNumber({ 3: saying(400) }));
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
    const { run, service } = await setUpRun();
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
    const { run, at } = await setUpRun();
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

  it("reports before its first job how many jobs earlier runs finished", async () => {
    const { run } = await setUpRun();
    const told: number[] = [];
    const onBegin = ({ finishedBefore, damagedLines }: BulkProgress) =>
      told.push(finishedBefore, damagedLines);
    await run(jobsOf(2), { onBegin });
    await run(jobsOf(3), { onBegin });
    expect(told).toEqual([0, 0, 2, 0]);
  });

  it("reports how many documents are in flight, its pace and its pause", async () => {
    let progress: BulkProgress | undefined;
    const told: unknown[] = [];
    const tell = () => told.push([progress?.stored, progress?.inHand, progress?.perSecond]);
    const ending = new AbortController();
    const { run, service } = await setUpRun(async (received) => {
      if (numberOf(received) === 0) {
        await service.request(1);
        return void saying(429, "", { "retry-after": "60" })(received);
      }
      while (progress?.pauseMs === 0) await new Promise((resolve) => setImmediate(resolve));
      tell();
      expect(progress?.pauseMs).toBeGreaterThan(50_000);
      ending.abort(new Error("enough"));
    });
    const ended = run(jobsOf(3), {
      concurrency: 2,
      retry: { limit: 1 },
      perSecond: 500,
      signal: ending.signal,
      onBegin: (given: BulkProgress) => {
        progress = given;
        tell();
      },
    });
    await expect(ended).rejects.toThrow("enough");
    tell();
    expect(told).toEqual([
      [0, 0, 500],
      [0, 2, 500],
      [0, 0, 500],
    ]);
  });

  it("reports in a few words why it was stopped", async () => {
    const { run } = await setUpRun(byNumber({ 0: saying(400) }));
    const error = await run(jobsOf(3), { stopAfter: 1, concurrency: 1 }).catch((thrown: unknown) => thrown);
    expect(RunStoppedError.is(error) && error.why).toBe("`stopAfter: 1` was reached");
  });
});
