import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { template } from "template-pdf";
import type { BulkProgress, BulkResult, Sink } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { saying, withLength } from "../support/service.ts";
import { byNumber, type Jobs, jobsOf, numberOf, setUpRun, small } from "./many.ts";

/** A sink that reads documents and stores nothing. */
const reading: Sink = { put: (_key, pdf) => pdf.bytes() };
const key = ({ values }: Jobs[number]) => values.n;

describe("runBulk", () => {
  it("stores every document and counts the results", async () => {
    const { run, files, at } = await setUpRun();
    const summary = await run(jobsOf(5));
    expect(summary).toEqual({
      fulfilled: 5,
      skipped: 0,
      rejected: 0,
      invalid: 0,
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

  it("passes the document, its key and its job to any sink", async () => {
    const { run } = await setUpRun();
    const stored: unknown[] = [];
    const sink: Sink = {
      async put(storedKey, pdf, { job, index, attempt }) {
        stored[index] = [storedKey, (job as Jobs[number]).values.n, attempt, (await pdf.bytes()).length];
      },
    };
    await run(jobsOf(2), { sink, key });
    expect(stored).toEqual([
      ["0", 0, 1, 1000],
      ["1", 1, 1, 1000],
    ]);
  });

  it("does not record a document that the sink did not read to its end", async () => {
    const { run } = await setUpRun();
    const sink: Sink = { put: async () => {} };
    expect(await run(jobsOf(2), { sink, key })).toMatchObject({ fulfilled: 0, rejected: 2 });
    expect(await run(jobsOf(2), { sink, key })).toMatchObject({ skipped: 0 });
  });

  it("waits for what `onResult` returns", async () => {
    const { run } = await setUpRun();
    let isDone = false;
    const onResult = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isDone = true;
    };
    await run(jobsOf(1), { onResult });
    expect(isDone).toBe(true);
  });

  const own = new Error("my own");
  const thrower = () => {
    throw own;
  };
  it.each([
    ["`onResult` throws", { onResult: thrower }],
    ["`onResult` rejects with", { onResult: () => Promise.reject(own) }],
    ["`onBegin` rejects with", { onBegin: () => Promise.reject(own) }],
  ])("rejects with what %s, and keeps the recorded results", async (_what, callbacks) => {
    const { run } = await setUpRun();
    await expect(run(jobsOf(50), { ...callbacks, concurrency: 1 })).rejects.toBe(own);
    const { skipped, fulfilled } = await run(jobsOf(50));
    if ("onResult" in callbacks) expect(skipped).toBeGreaterThan(0);
    expect(skipped + fulfilled).toBe(50);
  });

  it("requests a job again if its values cannot be represented in JSON", async () => {
    const { run } = await setUpRun();
    const big = template("big", z.object({ total: z.bigint().transform(String) }));
    const jobs = (total: bigint) => [{ template: big, values: { total } }] as unknown as Jobs;
    const options = { sink: reading, key: () => "a" };
    expect(await run(jobs(1n), options)).toMatchObject({ fulfilled: 1, changed: 0 });
    expect(await run(jobs(2n), options)).toMatchObject({ fulfilled: 1, changed: 1, skipped: 0 });
  });

  it("rejects if a document cannot be synced before it is recorded, new or changed", async () => {
    const { run } = await setUpRun();
    const sink = { ...reading, sync: () => Promise.reject(new Error("not synced")) };
    await expect(run(jobsOf(20), { sink, key })).rejects.toThrow("not synced");
    expect(await run(jobsOf(20), { sink: reading, key })).toMatchObject({ fulfilled: 20 });
    const changed = jobsOf(20).map((job) => ({ ...job, values: { ...job.values, extra: 1 } }));
    await expect(run(changed, { sink, key })).rejects.toThrow("not synced");
  });

  it("yields to timers and signals while it skips finished jobs", async () => {
    const { run } = await setUpRun();
    const options = { sink: reading, key, concurrency: 32 };
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

  it("reports its counts and the reason in the error if it is stopped, and continues in the next run", async () => {
    const { run } = await setUpRun(byNumber({ 3: saying(400) }));
    const error = await run(jobsOf(50), { stopAfter: 1, concurrency: 1 }).catch((thrown: unknown) => thrown);
    const summary = expect.objectContaining({ fulfilled: 3, rejected: 1, missing: undefined });
    expect(error).toMatchObject({ why: "`stopAfter: 1` was reached", summary });
    expect(await run(jobsOf(50))).toMatchObject({ skipped: 3, fulfilled: 46, rejected: 1 });
  });

  it("stops with any sink if the disk is full", async () => {
    const { run, service } = await setUpRun();
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const sink: Sink = {
      async put(_key, pdf) {
        await pdf.bytes();
        throw new Error("upload failed", { cause: full });
      },
    };
    const message = ": the disk is full. 0 jobs";
    await expect(run(jobsOf(50), { sink, key, concurrency: 1 })).rejects.toThrow(message);
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
    // As if the second run had ended after it stored the document and before it wrote the line.
    await writeFile(journal, atCrash);
    expect(await run([], { sink, key })).toMatchObject({ missing: 0 });
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
});
