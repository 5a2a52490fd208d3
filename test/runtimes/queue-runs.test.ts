import type { PendingPdf } from "template-pdf";
import type { Job } from "template-pdf/bulk";
import type { BulkQueue, QueueProgress } from "template-pdf/queue";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { start } from "../support/programs.ts";
import { type Answer, heldBack, saying } from "../support/service.ts";
import { later } from "../support/sockets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { answerPdf, endOf, jobsOf, progressOf, setUp, startWorkerProcess } from "./queue/set-up.ts";

/** What can happen to a run: corrections, failed `add` calls, pauses, other runs, dead and stopped workers. */

const keyOf = ({ values }: Job) => `no-${(values as { n: number }).n}`;
const corrected = (n: number) => ({ template: "t", values: { n, fixed: true } });

/** Reads the progress of a run to its end. */
async function allProgressOf(runs: BulkQueue, run = "nov"): Promise<QueueProgress[]> {
  const all: QueueProgress[] = [];
  for await (const progress of runs.progress(run, { everyMs: 50 })) all.push(progress);
  return all;
}

/** Documents that contain the request. */
const echo: Answer = ({ body, response }) => response.end(`%PDF-1.7\n${body}\n%%EOF\n`);

/** A sink that records the documents in the order in which they are stored. */
function recording(before: (text: string) => Promise<unknown> = async () => {}) {
  const texts: string[] = [];
  const put = async (_key: string, pdf: PendingPdf) => {
    const text = (await pdf.buffer()).toString().split("\n")[1] as string;
    await before(text);
    texts.push(text);
  };
  return { texts, sink: { put } };
}

describe("a run that is removed and added with corrected values", () => {
  it("never stores an old document that is still being rendered", async () => {
    const held = heldBack(echo);
    const { runs, work } = await setUp((received) =>
      (received.body.includes("fixed") ? echo : held.answer)(received),
    );
    const { texts, sink } = recording();
    await runs.add("nov", jobsOf(1), { key: keyOf });
    const worker = work(runs, { sink });
    await held.begun;
    await runs.remove("nov");
    await runs.add("nov", [corrected(0)], { key: keyOf });
    expect(await endOf(runs)).toMatchObject({ total: 1, fulfilled: 1 });
    held.release();
    expect(await worker.close()).toMatchObject({ fulfilled: 1, rejected: 0 });
    expect(texts).toEqual(['{"n":0,"fixed":true}']);
    expect(worker.results.map(({ job }) => job.values)).toEqual([{ n: 0, fixed: true }]);
  });

  it("waits for an old document that is being stored, and does not report it as fulfilled", async () => {
    const { runs, work } = await setUp(echo);
    const [began, released] = [later<void>(), later<void>()];
    const { texts, sink } = recording(async (text) => {
      if (text.includes("fixed")) return;
      began.resolve();
      await released.promise;
    });
    await runs.add("nov", jobsOf(1), { key: keyOf });
    const worker = work(runs, { sink });
    await began.promise;
    let isRemoved = false;
    const removing = runs.remove("nov").then(() => {
      isRemoved = true;
    });
    await expect(runs.add("nov", [corrected(0)], { key: keyOf })).rejects.toThrow(
      /is being removed|was removed/,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isRemoved).toBe(false);
    released.resolve();
    await removing;
    await runs.add("nov", [corrected(0)], { key: keyOf });
    await endOf(runs);
    expect(await worker.close()).toMatchObject({ fulfilled: 1, rejected: 0 });
    expect(texts).toEqual(['{"n":0}', '{"n":0,"fixed":true}']);
    expect(worker.results.map(({ job }) => job.values)).toEqual([{ n: 0, fixed: true }]);
  });
});

describe("the progress of a run", () => {
  it("ends after an `add` call that failed, and says why", async () => {
    const { runs, work } = await setUp();
    const failing = function* () {
      yield* jobsOf(600);
      throw new Error("the cursor was closed");
    };
    await expect(runs.add("nov", failing())).rejects.toThrow("the cursor was closed");
    work(runs);
    const last = (await allProgressOf(runs)).at(-1);
    expect(last).toMatchObject({ total: 500, fulfilled: 500, isAdded: false, leftMs: 0 });
    expect(last?.addError).toBe("the last `add` call failed in the program that called it");
    expect(await runs.add("nov", jobsOf(600))).toMatchObject({ added: 100, known: 500 });
    expect((await allProgressOf(runs)).at(-1)).toMatchObject({
      ...{ total: 600, fulfilled: 600, isAdded: true },
      addError: undefined,
    });
  });

  it("ends after an `add` call that was killed, and says so", async () => {
    const { admin, redis, runs, work } = await setUp();
    const program = `
import { bulkQueue } from "template-pdf/queue";
const runs = bulkQueue({ connection: ${JSON.stringify(redis.url)}, name: "tests" });
async function* jobs() {
  for (let n = 0; n < 600; n++) yield { template: "t", values: { n } };
  console.log("read");
  await new Promise(() => setInterval(() => {}, 1000));
}
await runs.add("nov", jobs());`;
    const child = start(process.execPath, ["--input-type=module", "-e", program], { cwd: process.cwd() });
    await child.prints(/read/);
    await eventually(async () => (await runs.runs()).length === 1);
    await eventually(async () => (await admin.zcard("bull:tests:prioritized")) === 500);
    expect(await progressOf(runs)).toMatchObject({ isAdded: false, addError: undefined, leftMs: undefined });
    child.child.kill("SIGKILL");
    await child.ended;
    work(runs);
    await endOf(runs);
    // Until its lease ends, the call could be in progress. The test does not wait for that.
    expect(await progressOf(runs)).toMatchObject({ isAdded: false, addError: undefined });
    const key = `bull:tests:run:${await admin.hget("bull:tests:runs", "nov")}`;
    const [renewal = ""] = (await admin.hkeys(key)).filter((field) => field.startsWith("add:"));
    await admin.hset(key, renewal, Number(await admin.hget(key, renewal)) - 31_000);
    const [only, ...others] = await allProgressOf(runs);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ total: 500, fulfilled: 500, isAdded: false });
    expect(only?.addError).toMatch(/ended without a result, because its process was killed or lost Redis$/);
  });

  it("counts the live workers, and a worker that stops tells `onError`", async () => {
    const setting = await setUp(saying(401));
    const { runs, openQueue, work } = setting;
    await runs.add("nov", jobsOf(5));
    expect(await progressOf(runs)).toMatchObject({ workers: 0 });
    const errors: Error[] = [];
    const { done } = work(runs, { onError: (error) => void errors.push(error) });
    await eventually(() => errors.length > 0);
    expect(errors.map(({ name }) => name)).toEqual(["RunStoppedError"]);
    expect(errors[0]?.message).toMatch(/^The worker stopped: .*[^.]\. Its jobs are still in the queue\.$/);
    await done.catch(() => {});
    await eventually(async () => (await progressOf(runs)).workers === 0);
    setting.answer = answerPdf;
    const [one] = [work(openQueue()), work(openQueue())];
    await eventually(async () => (await progressOf(runs)).workers === 2);
    await one?.close();
    expect(await progressOf(runs)).toMatchObject({ workers: 1 });
  });
});

describe("a run", () => {
  it("is not processed while it is paused, and other runs are", async () => {
    const { runs, work, service } = await setUp();
    await runs.add("nov", jobsOf(30));
    await runs.pause("nov");
    await runs.add("nov", jobsOf(40));
    await runs.add("dec", [{ template: "other", values: {} }]);
    work(runs);
    expect(await endOf(runs, "dec")).toMatchObject({ fulfilled: 1 });
    // A worker takes the jobs that were added since, and puts them back.
    await eventually(async () => (await progressOf(runs)).active === 0);
    expect(await progressOf(runs)).toMatchObject({ waiting: 40, paused: "the run is paused" });
    expect(service.requests.length).toBe(1);
    await runs.resume("nov");
    expect(await endOf(runs)).toMatchObject({ fulfilled: 40, rejected: 0, paused: undefined });
  });

  it("deletes its unfinished jobs when it is cancelled, and keeps its counts", async () => {
    const setting = await setUp((received) =>
      (received.body === '{"n":1}' ? saying(422) : answerPdf)(received),
    );
    const { runs, work, admin } = setting;
    await runs.add("nov", jobsOf(4));
    const worker = work(runs);
    await endOf(runs);
    await worker.close();
    await runs.add("nov", jobsOf(30));
    await runs.cancel("nov");
    expect((await allProgressOf(runs)).at(-1)).toMatchObject({
      ...{ total: 30, fulfilled: 3, rejected: 1, cancelled: 26, waiting: 0, active: 0, leftMs: 0 },
    });
    expect(await runs.failures("nov")).toMatchObject([{ index: 1, code: "bad_request" }]);
    expect(await admin.zcard("bull:tests:prioritized")).toBe(0);
    await expect(runs.add("nov", jobsOf(31))).rejects.toThrow(
      'The run "nov" was cancelled. Resume it first, or use another run name.',
    );
    for (const act of ["retry", "pause"] as const) {
      await expect(runs[act]("nov")).rejects.toThrow('The run "nov" was cancelled. Resume it first.');
    }
    expect(await runs.repair("nov")).toEqual({ queued: 0, deleted: 0 });
    expect(await runs.failures("nov")).toMatchObject([{ index: 1 }]);
    await runs.resume("nov");
    // Cancelled jobs stay cancelled until they are added again.
    expect((await allProgressOf(runs)).at(-1)).toMatchObject({ cancelled: 26, waiting: 0, rejected: 1 });
    setting.answer = answerPdf;
    expect(await runs.retry("nov")).toBe(1);
    expect(await runs.add("nov", jobsOf(30))).toMatchObject({ added: 26, known: 4 });
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 30, fulfilled: 30, rejected: 0, cancelled: 0 });
  });

  it("says that the service refuses everything, and forgets the time of such a pause in `leftMs`", async () => {
    const setting = await setUp(saying(429, "", { "retry-after": "1" }));
    const { runs, work } = setting;
    await runs.add("nov", jobsOf(300));
    work(runs);
    const seen: (string | undefined)[] = [];
    for await (const { paused, perSecond, leftMs } of runs.progress("nov", { everyMs: 250 })) {
      seen.push(paused);
      if (paused === undefined) {
        if (seen.some(Boolean)) break;
        continue;
      }
      expect(paused).toMatch(/^the service has refused all requests with 429 for \d+(\.\d)? s$/);
      expect({ perSecond, leftMs }).toEqual({ perSecond: 0, leftMs: undefined });
      setting.answer = answerPdf;
    }
    expect(await endOf(runs)).toMatchObject({ fulfilled: 300, rejected: 0 });
  });

  it("does not begin before `notBefore`", async () => {
    const { runs, work, service } = await setUp();
    const atMs = Date.now() + 1_500;
    await runs.add("nov", jobsOf(20), { notBefore: new Date(atMs) });
    work(runs);
    await runs.add("dec", [{ template: "t", values: { early: true } }]);
    await endOf(runs, "dec");
    expect(service.requests.length).toBe(1);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 20 });
    expect(Date.now()).toBeGreaterThanOrEqual(atMs);
  });

  it("that is paused keeps the time of `notBefore`", async () => {
    const { runs, work, service } = await setUp();
    const atMs = Date.now() + 2_500;
    await runs.add("nov", jobsOf(3), { notBefore: new Date(atMs) });
    await runs.pause("nov");
    work(runs);
    await runs.resume("nov");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(service.requests.length).toBe(0);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 3 });
    expect(Date.now()).toBeGreaterThanOrEqual(atMs);
  });

  it("repairs jobs that Redis has lost, and fails those without values", async () => {
    const { runs, work, admin } = await setUp();
    await runs.add("nov", jobsOf(10), { key: keyOf });
    const ids = await admin.zrange("bull:tests:prioritized", "0", "-1");
    await admin.zrem("bull:tests:prioritized", ...ids.slice(0, 3));
    await admin.del(...ids.slice(3, 5).map((id) => `bull:tests:${id}`));
    await admin.zrem("bull:tests:prioritized", ids[3] as string);
    expect(await runs.repair("nov")).toEqual({ queued: 3, deleted: 2 });
    expect(await runs.repair("nov")).toEqual({ queued: 0, deleted: 0 });
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 10, fulfilled: 8, rejected: 2 });
    const failures = await runs.failures("nov");
    const message = expect.stringMatching(/Add (?:it|the same jobs) again/);
    expect(failures).toMatchObject([
      { code: "queue_failed", message },
      { code: "queue_failed", message },
    ]);
    expect(await runs.add("nov", jobsOf(10), { key: keyOf })).toMatchObject({ added: 2, known: 8 });
    expect(await endOf(runs)).toMatchObject({ total: 10, fulfilled: 10, rejected: 0 });
  });

  it("with a wrong uid pauses itself with the reason, and other runs finish", async () => {
    const wrong = saying(404);
    const setting = await setUp((received) =>
      (received.path.includes("wrong") ? wrong : answerPdf)(received),
    );
    const { runs, work } = setting;
    await runs.add(
      "wrong",
      Array.from({ length: 60 }, (_, n) => ({ template: "wrong", values: { n } })),
    );
    await runs.add("nov", jobsOf(60));
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 60, rejected: 0 });
    await eventually(async () => (await progressOf(runs, "wrong")).paused);
    await eventually(async () => (await progressOf(runs, "wrong")).active === 0);
    const { paused, rejected, waiting } = await progressOf(runs, "wrong");
    expect(paused).toMatch(/^the run is paused: no job has succeeded, and \d+ failed with 404$/);
    expect(rejected).toBeGreaterThanOrEqual(5);
    // Those in flight still fail.
    expect(rejected).toBeLessThanOrEqual(5 + 16);
    expect(waiting).toBe(60 - rejected);
    setting.answer = answerPdf;
    await runs.resume("wrong");
    expect(await runs.retry("wrong")).toBe(rejected);
    expect(await endOf(runs, "wrong")).toMatchObject({ fulfilled: 60, rejected: 0, paused: undefined });
    expect(await runs.failures("wrong")).toEqual([]);
  });

  it("does not wait for the jobs of an earlier run", async () => {
    const { runs, work } = await setUp();
    await runs.add("nov", jobsOf(1_500));
    await runs.add("dec", jobsOf(10));
    const worker = work(runs, { concurrency: 1 });
    await endOf(runs, "dec");
    await worker.close();
    const order = worker.results.map(({ run }) => run);
    expect(order.filter((run) => run === "dec").length).toBe(10);
    expect(order.lastIndexOf("dec")).toBeLessThan(30);
  });

  it("of 20,000 jobs is removed within seconds", async () => {
    const { runs, admin } = await setUp();
    await runs.add("nov", jobsOf(20_000));
    const startedAtMs = performance.now();
    await runs.remove("nov");
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    expect((await admin.keys("*")).filter((key) => /-|:run:/.test(key))).toEqual([]);
  });
});

describe("a worker that stops for a while", () => {
  it("does not report documents that another worker has generated meanwhile", async () => {
    const { answer, release } = heldBack(answerPdf);
    const setting = await setUp(answer);
    const { runs, redis, service, work } = setting;
    await runs.add(
      "nov",
      Array.from({ length: 2 }, (_, n) => ({ template: "t", values: { n, shelf: 0 } })),
    );
    const out = temporaryFolder();
    const settings = { url: redis.url, baseUrl: service.baseUrl, out, work: { recoverAfter: 1000 } };
    const stopped = startWorkerProcess(settings);
    onTestFinished(() => stopped.stop());
    await service.request(1);
    stopped.child.kill("SIGSTOP");
    setting.answer = answerPdf;
    const { results } = work(runs, { recoverAfter: 1000 });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 0 });
    release();
    stopped.child.kill("SIGCONT");
    stopped.child.kill("SIGTERM");
    const { stdout } = await stopped.ended;
    expect(stdout).toBe("");
    expect(results.map(({ status, index }) => `${status} ${index}`).sort()).toEqual([
      "fulfilled 0",
      "fulfilled 1",
    ]);
  });
});

it("`progress` waits for a call to `add` that has just begun", async () => {
  const { runs } = await setUp();
  const adding = runs.add("nov", jobsOf(1));
  const { value } = await runs.progress("nov").next();
  expect(value).toMatchObject({ run: "nov" });
  await adding;
});
