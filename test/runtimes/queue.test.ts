import { mkdirSync, readdirSync } from "node:fs";
import { inspect } from "node:util";
import type { Redis } from "ioredis";
import { TemplatePdf, template } from "template-pdf";
import { folder, type Job } from "template-pdf/bulk";
import { bulkQueue, type WorkOptions } from "template-pdf/queue";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { eventually } from "../support/eventually.ts";
import { freePort, startRedis } from "../support/redis-server.ts";
import { type Answer, saying } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { answerPdf, endOf, jobsOf, setUp, startWorkerProcess } from "./queue/set-up.ts";

const secret = "a-value-that-nobody-may-read";
const keyOf = ({ values }: Job) => `no-${(values as { n: number }).n}`;

describe("a queue's `add` method", () => {
  it("adds each job only once, even if the call is repeated", async () => {
    const { runs, work, stored, service } = await setUp();
    const failing = function* () {
      yield* jobsOf(600);
      throw new Error("the cursor was closed");
    };
    await expect(runs.add("nov", failing(), { key: keyOf })).rejects.toThrow("the cursor was closed");
    const seen: number[] = [];
    const onProgress = ({ added, known }: { added: number; known: number }) => seen.push(added + known);
    const summary = { added: 200, known: 500, invalid: 0, failures: [] };
    expect(await runs.add("nov", jobsOf(700), { key: keyOf, onProgress })).toEqual(summary);
    expect(seen).toEqual([500, 700]);
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 700, fulfilled: 700, isAdded: true, leftMs: 0 });
    expect(new Set(stored).size).toBe(700);
    expect(await runs.add("nov", jobsOf(700), { key: keyOf })).toMatchObject({ added: 0, known: 700 });
    expect(service.requests.length).toBe(700);
  });

  it("counts a job that is in the call twice as added once", async () => {
    const { runs } = await setUp();
    const twice = [...jobsOf(3), ...jobsOf(3)];
    expect(await runs.add("nov", twice)).toMatchObject({ added: 3, known: 3 });
    expect(await runs.add("dec", twice, { key: keyOf })).toMatchObject({ added: 3, known: 3 });
    const changed = [...jobsOf(1), { template: "t", values: { n: 0, other: true } }];
    await expect(runs.add("jan", changed, { key: keyOf })).rejects.toThrow(/^Job 1 has the same key/);
  });

  it("rejects with a QueueError if the queue is closed meanwhile", async () => {
    const { runs } = await setUp();
    const endless = async function* () {
      for (let n = 0; ; n++) {
        yield { template: "t", values: { n } };
        if (n === 1200) setTimeout(() => runs.close(), 0);
      }
    };
    await expect(runs.add("nov", endless())).rejects.toMatchObject({
      code: "queue_failed",
      message: expect.stringMatching(/^The connection to Redis was closed/),
    });
  });

  it("rejects invalid jobs, oversized jobs and jobs with options, and adds the other jobs", async () => {
    const { runs, work, service } = await setUp();
    const invoice = template("t", z.object({ total: z.string().transform((text) => text.toUpperCase()) }));
    const jobs = [
      { template: invoice, values: { total: "a" } },
      { template: invoice, values: { total: 1 } },
      { template: "t", values: { big: "x".repeat(5_000_000) } },
      { template: "t", values: {}, options: { headers: { a: "b" } } },
    ];
    const { added, invalid, failures } = await runs.add("nov", jobs as never);
    expect({ added, invalid }).toEqual({ added: 1, invalid: 3 });
    expect(failures.map(({ message }) => message).join()).toMatch(/which exceeds the limit of 1048576/);
    work(runs);
    await endOf(runs);
    expect(service.requests.map(({ body }) => body)).toEqual(['{"total":"A"}']);
  });

  it("rejects different values for an existing key unless the existing job has failed", async () => {
    const setting = await setUp(saying(422));
    const { runs, work } = setting;
    await runs.add("nov", jobsOf(2), { key: keyOf });
    const changed = [{ template: "t", values: { n: 1, fixed: true } }];
    await expect(runs.add("nov", changed, { key: keyOf })).rejects.toMatchObject({
      code: "queue_failed",
      message:
        'Job 0 has the same key as a job with different values in run "nov". To generate the new values, add them under another run name. All other jobs were added.',
    });
    work(runs);
    expect(await endOf(runs)).toMatchObject({ rejected: 2 });
    setting.answer = answerPdf;
    expect(await runs.add("nov", changed, { key: keyOf })).toMatchObject({ added: 1 });
    expect(await endOf(runs)).toMatchObject({ total: 2, fulfilled: 1, rejected: 1 });
  });

  it("adds all other jobs before it rejects different values, so that nothing is missing", async () => {
    const { runs, work } = await setUp();
    await runs.add("nov", jobsOf(2), { key: keyOf });
    const changed = jobsOf(1200).map((job) =>
      job.values.n < 2 ? { ...job, values: { ...job.values, fixed: true } } : job,
    );
    await expect(runs.add("nov", changed, { key: keyOf })).rejects.toThrow(
      /^2 jobs, the first of them job 0, have the same key as a job with different values/,
    );
    work(runs);
    expect(await endOf(runs)).toMatchObject({
      ...{ total: 1200, fulfilled: 1200, isAdded: true, addError: undefined },
    });
  });

  it("reports that Redis is full, and adds the remaining jobs when called again", async () => {
    const { runs, work, admin } = await setUp();
    const values = (n: number) => ({ n, text: "x".repeat(100_000) });
    const big = Array.from({ length: 200 }, (_, n) => ({ template: "t", values: values(n) }));
    await admin.config("SET", "maxmemory", "8mb");
    const error = await runs.add("nov", big).catch((caught) => caught);
    expect(error.message).toMatch(/^Redis is full, .*add the same jobs again/);
    // Redis has freed the memory of the refused command, so that a small one may fit.
    await admin.config("SET", "maxmemory", "1mb");
    await expect(runs.pause("nov")).rejects.toMatchObject({ code: "queue_failed", message: error.message });
    // The command that Redis refused contains values.
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain("xxxxxxxxxx");
    await admin.config("SET", "maxmemory", "0");
    const { added, known } = await runs.add("nov", big);
    expect(added + known).toBe(200);
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 200, fulfilled: 200 });
  });
});

describe("a queue's data in Redis", () => {
  /** The complete content of Redis as one text. */
  async function dump(admin: Redis): Promise<string> {
    const keys = await admin.keys("*");
    return String([keys, ...(await Promise.all(keys.map((key) => admin.dumpBuffer(key))))]);
  }

  it("contains a job's values only until the job succeeds, and never contains the API key", async () => {
    const { admin, openQueue, work } = await setUp();
    const runs = openQueue({ keepFailedFor: 60_000 });
    await runs.add("nov", [{ template: "t", values: { secret } }], { key: () => `key-${secret}` });
    expect(await dump(admin)).toContain(secret);
    work(runs);
    await endOf(runs);
    const held = await dump(admin);
    expect(held).not.toContain(secret);
    expect(held).not.toContain("the-key-of-the-worker");
  });

  it("contains sealed jobs only in encrypted form", async () => {
    const { admin, openQueue, work, service, stored } = await setUp();
    const runs = openQueue({ sealKey: crypto.getRandomValues(new Uint8Array(32)) });
    await runs.add("nov", [{ template: "t", values: { secret } }], { key: () => secret });
    expect(await dump(admin)).not.toContain(secret);
    await expect(work(openQueue()).done).rejects.toThrow(/^The run "nov" is sealed\. Set `sealKey`/);
    expect(service.requests).toEqual([]);
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 1 });
    expect(stored).toEqual([secret]);
  });

  it("does not contain values from a removed run", async () => {
    const { admin, runs, work } = await setUp();
    await runs.add("nov", [{ template: "t", values: { secret } }]);
    await runs.add("dec", jobsOf(2));
    expect(await runs.runs()).toEqual(["dec", "nov"]);
    await runs.remove("nov");
    expect(await dump(admin)).not.toContain(secret);
    expect(await runs.runs()).toEqual(["dec"]);
    await expect(runs.failures("nov")).rejects.toThrow('has no run "nov"');
    work(runs);
    expect(await endOf(runs, "dec")).toMatchObject({ fulfilled: 2 });
  });
});

describe("a queue worker", () => {
  it("retries temporary failures, and reports each result with the job's run and index", async () => {
    let requests = 0;
    const { runs, work } = await setUp((received) => (requests++ === 0 ? saying(500) : answerPdf)(received));
    await runs.add("nov", jobsOf(3));
    const worker = work(runs);
    await endOf(runs);
    expect(await worker.close()).toMatchObject({ fulfilled: 3, skipped: 0, rejected: 0, failures: [] });
    const results = worker.results.toSorted((one, other) => one.index - other.index);
    const each = { status: "fulfilled", run: "nov" };
    const expected = [1, 2, 3].map((row) => ({ ...each, index: row - 1, job: { template: "t", row } }));
    expect(results).toMatchObject(expected);
    expect(results).toContainEqual(expect.objectContaining({ attempts: 2 }));
  });

  it("marks a job as failed if the service rejects the job, and completes it after `retry`", async () => {
    const setting = await setUp((received) =>
      (received.body === '{"n":1}' ? saying(422) : answerPdf)(received),
    );
    const { runs, work } = setting;
    await runs.add("nov", jobsOf(3), { key: keyOf });
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    const message = expect.stringContaining("422");
    const id = expect.stringMatching(/^[\da-f]{12}-[\w-]{20}$/);
    expect(await runs.failures("nov")).toEqual([
      { id, key: "no-1", index: 1, code: "bad_request", message, failedAt: expect.any(Date) },
    ]);
    setting.answer = answerPdf;
    expect(await runs.retry("nov")).toBe(1);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 3, rejected: 0 });
    expect(await runs.failures("nov")).toEqual([]);
  });

  it("waits while the service is unreachable, and then continues", async () => {
    const setting = await setUp(({ socket }) => socket.destroy());
    const { runs, work } = setting;
    const outages: boolean[] = [];
    const onOutage = ({ isOver }: { isOver: boolean }) => {
      outages.push(isOver);
      setting.answer = answerPdf;
    };
    await runs.add("nov", jobsOf(40));
    work(runs, { onOutage });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 40, rejected: 0 });
    expect(outages).toEqual([false, true]);
  });

  it("continues with a new worker after an outage that stopped another one", async () => {
    const setting = await setUp(saying(503));
    const { runs, work } = setting;
    await runs.add("nov", jobsOf(10));
    await expect(work(runs, { giveUpAfter: 0 }).done).rejects.toMatchObject({ code: "run_stopped" });
    setting.answer = answerPdf;
    work(runs, { giveUpAfter: 60_000 });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 10, rejected: 0 });
  });

  it("rests while Redis is full, and reports each message only once", async () => {
    const { runs, work, admin } = await setUp();
    await runs.add("nov", jobsOf(500));
    const errors: Error[] = [];
    let fulfilledCount = 0;
    const worker = work(runs, {
      onError: (error) => void errors.push(error),
      onResult: () => void fulfilledCount++,
    });
    await eventually(() => fulfilledCount > 0);
    await admin.config("SET", "maxmemory", "1");
    await eventually(() => errors.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const messages = errors.map(({ message }) => message);
    expect(messages).toEqual([...new Set(messages)]);
    await admin.config("SET", "maxmemory", "0");
    expect(await endOf(runs)).toMatchObject({ fulfilled: 500, rejected: 0 });
    await worker.close();
  });

  it("tells `onError` why it could not start", async () => {
    const port = await freePort();
    const runs = bulkQueue({ connection: `redis://127.0.0.1:${port}`, name: "tests" });
    const client = new TemplatePdf({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    const { done } = runs.work({ client, sink: { put: async () => {} }, onError });
    const reason = await done.catch((error) => error);
    expect(reason.message).toContain("cannot be reached");
    expect(errors).toEqual([reason]);
  });

  it("waits for Redis if it is full when the worker starts", async () => {
    const { runs, work, admin } = await setUp();
    await runs.add("nov", jobsOf(3));
    await admin.config("SET", "maxmemory", "1");
    const errors: Error[] = [];
    work(runs, { onError: (error) => void errors.push(error) });
    await eventually(() => errors.length > 0);
    await admin.config("SET", "maxmemory", "0");
    expect(await endOf(runs)).toMatchObject({ fulfilled: 3, rejected: 0 });
  });

  const full = { put: () => Promise.reject(Object.assign(new Error("write failed"), { code: "ENOSPC" })) };
  const stop = new AbortController();
  it.each<
    [
      why: string,
      row: {
        readonly answer: Answer;
        readonly options: Partial<WorkOptions<Job>>;
        readonly message: string | RegExp;
      },
    ]
  >([
    [
      "the service is unavailable for too long",
      { answer: saying(503), options: { giveUpAfter: 0 }, message: /is unavailable; the last/ },
    ],
    [
      "its API key is invalid",
      {
        answer: saying(401),
        options: {},
        message: /^The worker stopped.* Its jobs are still in the queue\.$/s,
      },
    ],
    ["its disk is full", { answer: answerPdf, options: { sink: full }, message: /: the disk is full/ }],
    [
      "its signal is aborted",
      { answer: () => stop.abort(new Error("enough")), options: { signal: stop.signal }, message: "enough" },
    ],
  ])("stops and leaves its jobs in the queue if %s", async (_why, { answer, options, message }) => {
    const setting = await setUp(answer);
    const { runs, work } = setting;
    await runs.add("nov", jobsOf(40));
    await expect(work(runs, options).done).rejects.toThrow(message);
    setting.answer = answerPdf;
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 40, rejected: 0 });
  });

  it("rejects a second job with the same output path", async () => {
    const path = temporaryFolder();
    mkdirSync(`${path}/out`);
    const { runs, work } = await setUp();
    const jobs = [1, 2].map((n) => ({ template: "t", values: { name: "a", n } }));
    await runs.add("nov", jobs);
    work(runs, { sink: folder(`${path}/out/{{name}}.pdf`) });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 1, rejected: 1 });
    expect((await runs.failures("nov"))[0]?.message).toMatch(/has the same path as another job in its run/);
    expect(readdirSync(`${path}/out`)).toEqual(["a.pdf"]);
  });

  it("does not repeat a killed worker's request if `mayRenderTwice` is false", async () => {
    const setting = await setUp(() => {});
    const { runs, work, service, redis } = setting;
    await runs.add("nov", [{ template: "t", values: { n: 1, shelf: 1 } }]);
    const out = temporaryFolder();
    const { url } = redis;
    const killed = startWorkerProcess({ url, baseUrl: service.baseUrl, out, work: { recoverAfter: 1000 } });
    await service.request();
    killed.child.kill("SIGKILL");
    setting.answer = answerPdf;
    work(runs, { recoverAfter: 1000, retry: { mayRenderTwice: false } });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 0, rejected: 1 });
    expect((await runs.failures("nov"))[0]?.message).toMatch(/`retry.mayRenderTwice` is false/);
    expect(service.requests.length).toBe(1);
    expect(await runs.retry("nov")).toBe(1);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 1 });
  });
});

describe("a queue with several workers", () => {
  it("pauses all workers if one worker receives a Retry-After header", async () => {
    let refusedAtMs = 0;
    let early = 0;
    const { runs, work } = await setUp((received) => {
      if (refusedAtMs === 0) {
        refusedAtMs = performance.now();
        return saying(429, "", { "retry-after": "2" })(received);
      }
      // Requests that were in flight already arrive soon.
      if (performance.now() - refusedAtMs < 1900) early++;
      return answerPdf(received);
    });
    const workers = [work(runs, { concurrency: 2 }), work(runs, { concurrency: 2 })];
    await runs.add("nov", jobsOf(40));
    expect(await endOf(runs)).toMatchObject({ fulfilled: 40, rejected: 0 });
    expect(workers.flatMap(({ results }) => results).length).toBe(40);
    expect(early).toBeLessThan(20);
  });

  it("applies one rate limit to all workers", async () => {
    const { admin, openQueue, work } = await setUp();
    const runs = openQueue({ connection: admin });
    await runs.add("nov", jobsOf(40));
    const startedAtMs = performance.now();
    work(runs, { perSecond: 20 });
    work(runs);
    await endOf(runs);
    expect(performance.now() - startedAtMs).toBeGreaterThan(1300);
    await runs.close();
    expect(await admin.ping()).toBe("PONG");
  });
});

it("a worker's jobs are taken over within `recoverAfter`, because its lock and two checks for it fit", async () => {
  const { admin, runs, work, openQueue } = await setUp(() => {});
  const recoverAfter = 20_000;
  await runs.add("nov", jobsOf(1));
  const stop = new AbortController();
  work(runs, { recoverAfter, signal: stop.signal });
  await eventually(async () => (await admin.llen("bull:tests:active")) === 1);
  const [id] = await admin.lrange("bull:tests:active", 0, -1);
  const lockMs = await admin.pttl(`bull:tests:${id}:lock`);
  // The first check of a new worker.
  await admin.del("bull:tests:stalled-check");
  work(openQueue(), { recoverAfter });
  // Otherwise, the end of the test would wait for a response.
  onTestFinished(() => stop.abort());
  await eventually(async () => (await admin.pttl("bull:tests:stalled-check")) > 0);
  const checkMs = await admin.pttl("bull:tests:stalled-check");
  expect(lockMs).toBeGreaterThan(recoverAfter / 2);
  expect(lockMs + 2 * checkMs).toBeLessThanOrEqual(recoverAfter);
});

it("a closed queue refuses every call, and opens no connection", async () => {
  const { runs, work, admin } = await setUp();
  await runs.add("nov", jobsOf(3));
  const reading = runs.progress("nov", { everyMs: 100 });
  expect((await reading.next()).value).toMatchObject({ waiting: 3 });
  await runs.close();
  const closed = "This queue is closed. Create another one.";
  expect(() => work(runs)).toThrow(closed);
  for (const call of [
    () => runs.add("dec", []),
    () => runs.runs(),
    () => reading.next(),
    () => runs.progress("nov").next(),
    ...(["failures", "retry", "pause", "resume", "cancel", "repair", "remove"] as const).map(
      (method) => () => runs[method]("nov"),
    ),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: "invalid_configuration", message: closed });
  }
  await runs.close();
  expect(
    String(await admin.client("LIST"))
      .trim()
      .split("\n"),
  ).toHaveLength(1);
});

const urlOf = async (...args: string[]) => (await startRedis(args)).url.replace("//", "//:pass-word@");
it.each<[what: string, url: () => Promise<string>, message: RegExp]>([
  ["Redis is not running", async () => `redis://:pass-word@127.0.0.1:${await freePort()}`, /: ECONNREFUSED/],
  ["the password is invalid", () => urlOf("--requirepass", "right"), /rejects the user name or the password/],
  [
    "Redis may evict jobs",
    () => urlOf("--requirepass", "pass-word", "--maxmemory-policy", "allkeys-lru"),
    /`maxmemory-policy` is "allkeys-lru". Set it to noeviction/,
  ],
])("a queue does not reveal the password when it reports that %s", async (_what, url, message) => {
  const runs = bulkQueue({ connection: await url(), name: "tests" });
  onTestFinished(() => runs.close());
  const client = new TemplatePdf({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
  const error = await runs.add("nov", jobsOf(1)).catch((caught) => caught);
  expect(error.message).toMatch(message);
  const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
  expect(JSON.stringify(error) + error.stack + shown).not.toContain("pass-word");
  await expect(runs.work({ client, sink: { put: async () => {} } }).done).rejects.toThrow(message);
});
