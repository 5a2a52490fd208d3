import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Redis } from "ioredis";
import { type PendingPdf, TemplatePdf } from "template-pdf";
import { folder, type Job, type Sink } from "template-pdf/bulk";
import { type BulkQueue, bulkQueue, type QueueResult, type WorkOptions } from "template-pdf/queue";
import { fakePdf } from "template-pdf/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { template } from "../../src/index.ts";
import { start } from "../support/programs.ts";
import { freePort, type RedisServer, startRedis } from "../support/redis-server.ts";
import { type Answer, Service } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const pdf = fakePdf();
const answerPdf: Answer = ({ response }) => response.end(pdf);
const status =
  (code: number, headers = {}): Answer =>
  ({ response }) =>
    response.writeHead(code, headers).end();
const secret = "a-value-that-nobody-may-read";

let redis: RedisServer;
let answer: Answer;
let service: Service;
let stored: string[];

beforeEach(async () => {
  redis = await startRedis();
  answer = answerPdf;
  service = await Service.start((received) => answer(received));
  stored = [];
});

/** Records the keys of the documents that it stores. */
const sink: Sink<Job> = {
  async put(key, document: PendingPdf) {
    await document.bytes();
    stored.push(key);
  },
};

function openQueue(options: Partial<Parameters<typeof bulkQueue>[0]> = {}): BulkQueue {
  const runs = bulkQueue({ connection: redis.url, name: "tests", ...options });
  onTestFinished(() => runs.close());
  return runs;
}

function work(
  runs: BulkQueue,
  options: Partial<WorkOptions<Job>> = {},
  retry: { limit?: number; mayRenderTwice?: boolean } = {},
) {
  const client = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "the-key-of-the-worker", retry });
  onTestFinished(() => client.close());
  const results: QueueResult<Job>[] = [];
  const worker = runs.work<Job>({ client, sink, onResult: (result) => results.push(result), ...options });
  worker.done.catch(() => {});
  onTestFinished(() =>
    worker.close().then(
      () => {},
      () => {},
    ),
  );
  return Object.assign(worker, { results });
}

const jobsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ template: "t", values: { n }, row: n + 1 }));
const keyOf = ({ values }: Job) => `no-${(values as { n: number }).n}`;

async function end(runs: BulkQueue, run = "nov") {
  for await (const progress of runs.progress(run, { everyMs: 20 }))
    if (progress.waiting + progress.active === 0) return progress;
  throw new Error("there was no progress");
}

/** The complete content of Redis as one text. */
async function dump(): Promise<string> {
  const client = new Redis(redis.url);
  const texts: unknown[] = [];
  for (const key of await client.keys("*")) {
    const type = await client.type(key);
    if (type === "hash") texts.push(key, await client.hgetall(key));
    else if (type === "string") texts.push(key, await client.get(key));
    else if (type === "list") texts.push(key, await client.lrange(key, 0, -1));
    else if (type === "zset") texts.push(key, await client.zrange(key, "0", "-1"));
    else texts.push(key, await client.xrange(key, "-", "+"));
  }
  client.disconnect();
  return JSON.stringify(texts);
}

describe("adding", () => {
  it("adds a job once, even if it is added several times, and continues after a source has failed", async () => {
    const runs = openQueue();
    const failing = function* () {
      yield* jobsOf(700);
      throw new Error("the cursor was closed");
    };
    await expect(runs.add("nov", failing(), { key: keyOf })).rejects.toThrow("the cursor was closed");
    const seen: number[] = [];
    const onProgress = ({ added, known }: { added: number; known: number }) => seen.push(added + known);
    expect(await runs.add("nov", jobsOf(1200), { key: keyOf, onProgress })).toEqual({
      added: 700,
      known: 500,
      invalid: 0,
      failures: [],
    });
    expect(seen).toEqual([500, 1000, 1200]);
    work(runs);
    expect(await end(runs)).toMatchObject({
      total: 1200,
      fulfilled: 1200,
      rejected: 0,
      isAdded: true,
      leftMs: 0,
    });
    expect(new Set(stored).size).toBe(1200);
    expect(await runs.add("nov", jobsOf(1200), { key: keyOf })).toMatchObject({ added: 0, known: 1200 });
    expect(service.requests.length).toBe(1200);
  });

  it("rejects jobs that are invalid, are too large or have options, and adds the others", async () => {
    const runs = openQueue();
    const invoice = template(
      "invoice",
      z.object({ total: z.string().transform((text) => text.toUpperCase()) }),
    );
    const jobs = [
      { template: invoice, values: { total: "a" } },
      { template: invoice, values: { total: 1 } },
      { template: "t", values: { big: "x".repeat(5_000_000) } },
      { template: "t", values: { at: Number.NaN } },
      { template: "t", values: {}, options: { headers: { a: "b" } } },
    ];
    const { added, invalid, failures } = await runs.add("nov", jobs as never);
    expect({ added, invalid }).toEqual({ added: 1, invalid: 4 });
    expect(failures.map(({ message }) => message).join()).toMatch(/above the limit of 1048576/);
    work(runs);
    await end(runs);
    expect(service.requests.map(({ body }) => body)).toEqual(['{"total":"A"}']);
  });

  it("rejects different values for a known key, unless the job has failed", async () => {
    answer = status(422);
    const runs = openQueue();
    await runs.add("nov", jobsOf(2), { key: keyOf });
    const changed = [{ template: "t", values: { n: 1, fixed: true } }];
    await expect(runs.add("nov", changed, { key: keyOf })).rejects.toMatchObject({
      code: "queue_failed",
      message: expect.stringMatching(/^Job 0 has the same key as a job with different values in run "nov"\./),
    });
    work(runs);
    expect(await end(runs)).toMatchObject({ rejected: 2 });
    answer = answerPdf;
    expect(await runs.add("nov", changed, { key: keyOf })).toMatchObject({ added: 1 });
    expect(await end(runs)).toMatchObject({ total: 2, fulfilled: 1, rejected: 1 });
  });

  it("reports that Redis is full, keeps the added jobs, and continues when memory is free", async () => {
    const runs = openQueue();
    const big = Array.from({ length: 200 }, (_, n) => ({
      template: "t",
      values: { n, text: "x".repeat(100_000) },
    }));
    const admin = new Redis(redis.url);
    onTestFinished(() => admin.disconnect());
    await admin.config("SET", "maxmemory", "8mb");
    const error = await runs.add("nov", big).catch((caught) => caught);
    expect(error.message).toMatch(/^Redis is full .*add the same jobs again/);
    // The command that Redis refused contains values.
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain("xxxxxxxxxx");
    await admin.config("SET", "maxmemory", "0");
    const { added, known } = await runs.add("nov", big);
    expect(added + known).toBe(200);
    work(runs);
    expect(await end(runs)).toMatchObject({ total: 200, fulfilled: 200 });
  });
});

describe("the data in Redis", () => {
  it("contain values only while a job waits or has failed, and never the API key", async () => {
    const runs = openQueue({ keepFailedFor: 60_000 });
    await runs.add("nov", [{ template: "t", values: { secret } }], { key: () => `key-${secret}` });
    expect(await dump()).toContain(secret);
    work(runs);
    await end(runs);
    const held = await dump();
    expect(held).not.toContain(secret);
    expect(held).not.toContain("the-key-of-the-worker");
  });

  it("contain nothing readable of a sealed job, and a worker without the key stops", async () => {
    const sealKey = crypto.getRandomValues(new Uint8Array(32));
    const runs = openQueue({ sealKey });
    await runs.add("nov", [{ template: "t", values: { secret } }], { key: () => secret });
    expect(await dump()).not.toContain(secret);
    for (const [other, message] of [
      [undefined, /sealed job. Pass `sealKey`/],
      [btoa("x".repeat(32)), /sealed with another key/],
    ] as const) {
      const worker = work(openQueue({ sealKey: other }));
      await expect(worker.done).rejects.toThrow(message);
    }
    expect(service.requests).toEqual([]);
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 1 });
    expect(stored).toEqual([secret]);
  });
});

describe("a worker", () => {
  it("reports its results with the properties of the jobs, and a summary when it is closed", async () => {
    const runs = openQueue();
    await runs.add("nov", jobsOf(3));
    const worker = work(runs);
    await end(runs);
    const summary = await worker.close();
    expect(summary).toMatchObject({ fulfilled: 3, skipped: 0, rejected: 0, failures: [] });
    expect(worker.results[0]).toMatchObject({
      status: "fulfilled",
      run: "nov",
      job: { template: "t", row: expect.any(Number) },
    });
    expect(worker.results.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
  });

  it("rejects a job that the service refuses, lists it, and generates it after `retry`", async () => {
    answer = ({ body, response }) =>
      JSON.parse(body).n === 1 ? response.writeHead(422).end() : response.end(pdf);
    const runs = openQueue();
    await runs.add("nov", jobsOf(3), { key: keyOf });
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(await runs.failures("nov")).toEqual([
      {
        key: "no-1",
        index: 1,
        code: "bad_request",
        message: expect.stringContaining("422"),
        failedAt: expect.any(Date),
      },
    ]);
    answer = answerPdf;
    expect(await runs.retry("nov")).toBe(1);
    expect(await end(runs)).toMatchObject({ fulfilled: 3, rejected: 0 });
    expect(await runs.failures("nov")).toEqual([]);
  });

  it("retries temporary failures itself, and finishes jobs in flight when it is closed", async () => {
    let requests = 0;
    answer = (received) => (requests++ === 0 ? status(500)(received) : answerPdf(received));
    const runs = openQueue();
    await runs.add("nov", jobsOf(1));
    const worker = work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 1 });
    expect(worker.results[0]).toMatchObject({ attempts: 2 });
    let respond = () => {};
    answer = ({ response }) => {
      respond = () => response.end(pdf);
    };
    await runs.add("dec", jobsOf(1));
    await service.request(2);
    const closing = worker.close();
    respond();
    expect(await closing).toMatchObject({ fulfilled: 2 });
  });

  it("returns jobs in flight to the queue when its signal is aborted", async () => {
    answer = () => {};
    const runs = openQueue();
    await runs.add("nov", jobsOf(2));
    const controller = new AbortController();
    const worker = work(runs, { signal: controller.signal });
    await service.request(1);
    controller.abort(new Error("enough"));
    await expect(worker.done).rejects.toThrow("enough");
    answer = answerPdf;
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 2 });
  });

  it("waits while the service is unavailable, and continues by itself", async () => {
    answer = status(503);
    const outages: boolean[] = [];
    const onOutage = ({ isOver }: { isOver: boolean }) => {
      outages.push(isOver);
      answer = answerPdf;
    };
    const runs = openQueue();
    await runs.add("nov", jobsOf(40));
    work(runs, { onOutage });
    expect(await end(runs)).toMatchObject({ fulfilled: 40, rejected: 0 });
    expect(outages).toEqual([false, true]);
  });

  it("stops if the service is unavailable for too long, and leaves its jobs in the queue", async () => {
    answer = status(503);
    const runs = openQueue();
    await runs.add("nov", jobsOf(40));
    await expect(work(runs, { giveUpAfter: 0 }).done).rejects.toThrow(
      /the service is unavailable; the last error/,
    );
    answer = answerPdf;
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 40, rejected: 0 });
  });

  it("stops at a wrong API key, and leaves its jobs in the queue", async () => {
    answer = status(401);
    const runs = openQueue();
    await runs.add("nov", jobsOf(30));
    await expect(work(runs, { concurrency: 4 }).done).rejects.toMatchObject({ code: "run_stopped" });
    answer = answerPdf;
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 30, rejected: 0 });
  });

  it("stops if its disk is full, and leaves its jobs in the queue", async () => {
    const full: Sink<Job> = {
      async put(_key, document) {
        await document.bytes();
        throw Object.assign(new Error("write failed"), { code: "ENOSPC" });
      },
    };
    const runs = openQueue();
    await runs.add("nov", jobsOf(10));
    await expect(work(runs, { sink: full }).done).rejects.toThrow(/the disk is full/);
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 10, rejected: 0 });
  });

  it("rejects a second job with the same path", async () => {
    const root = makeTemporaryFolder("queue");
    onTestFinished(() => root.remove());
    mkdirSync(`${root.path}/out`);
    const runs = openQueue();
    const values = [
      { name: "a", n: 1 },
      { name: "a", n: 2 },
    ];
    await runs.add(
      "nov",
      values.map((value) => ({ template: "t", values: value })),
    );
    work(runs, { sink: folder(`${root.path}/out/{{name}}.pdf`) });
    expect(await end(runs)).toMatchObject({ fulfilled: 1, rejected: 1 });
    expect((await runs.failures("nov"))[0]?.message).toMatch(/has the same path as another job of its run/);
    expect(readdirSync(`${root.path}/out`)).toEqual(["a.pdf"]);
  });

  it("does not render a document twice after another worker was killed, if that is not allowed", {
    timeout: 60_000,
  }, async () => {
    answer = () => {};
    const runs = openQueue();
    await runs.add("nov", [{ template: "t", values: { n: 1, shelf: 1 } }]);
    const workerFile = fileURLToPath(new URL("queue/worker.mjs", import.meta.url));
    const out = makeTemporaryFolder("queue");
    onTestFinished(() => out.remove());
    const settings = {
      url: redis.url,
      name: "tests",
      baseUrl: service.baseUrl,
      out: out.path,
      work: { recoverAfter: 1000 },
    };
    const killed = start(process.execPath, [workerFile, JSON.stringify(settings)], { cwd: process.cwd() });
    await service.request();
    killed.child.kill("SIGKILL");
    answer = answerPdf;
    work(runs, { recoverAfter: 1000 }, { mayRenderTwice: false });
    expect(await end(runs)).toMatchObject({ fulfilled: 0, rejected: 1 });
    expect((await runs.failures("nov"))[0]?.message).toMatch(/`retry.mayRenderTwice` is false/);
    expect(service.requests.length).toBe(1);
    expect(await runs.retry("nov")).toBe(1);
    expect(await end(runs)).toMatchObject({ fulfilled: 1 });
  });

  it("continues when Redis is available again", async () => {
    const runs = openQueue();
    await runs.add("nov", jobsOf(200));
    let kill: Promise<void> | undefined;
    answer = (received) => {
      if (service.requests.length === 50) kill = redis.kill().then(() => redis.start());
      answerPdf(received);
    };
    work(runs, { concurrency: 4, recoverAfter: 2000 });
    expect(await end(runs)).toMatchObject({ total: 200, fulfilled: 200 });
    await kill;
    expect(new Set(stored).size).toBe(200);
  });
});

describe("the pace of a queue", () => {
  it("pauses all workers if one receives Retry-After", async () => {
    let refusedAtMs = 0;
    const early: number[] = [];
    answer = (received) => {
      if (refusedAtMs === 0) {
        refusedAtMs = performance.now();
        return status(429, { "retry-after": "2" })(received);
      }
      const sinceMs = performance.now() - refusedAtMs;
      // Requests that were in flight already arrive soon.
      if (sinceMs < 1900) early.push(sinceMs);
      return answerPdf(received);
    };
    const runs = openQueue();
    const [first, second] = [work(runs, { concurrency: 2 }), work(runs, { concurrency: 2 })];
    await runs.add("nov", jobsOf(40));
    expect(await end(runs)).toMatchObject({ fulfilled: 40, rejected: 0 });
    expect(first.results.length + second.results.length).toBe(40);
    expect(early.length).toBeLessThan(20);
  });

  it("has one limit for all workers", async () => {
    const runs = openQueue();
    await runs.add("nov", jobsOf(60));
    const startedAtMs = performance.now();
    work(runs, { perSecond: 20 });
    work(runs);
    await end(runs);
    expect(performance.now() - startedAtMs).toBeGreaterThan(2300);
  });
});

describe("a queue", () => {
  it("removes a run with its values and its name", async () => {
    const runs = openQueue();
    await runs.add("nov", [{ template: "t", values: { secret } }]);
    await runs.add("dec", jobsOf(2));
    expect(await runs.runs()).toEqual(["dec", "nov"]);
    await runs.remove("nov");
    expect(await dump()).not.toContain(secret);
    expect(await runs.runs()).toEqual(["dec"]);
    await expect(runs.failures("nov")).rejects.toThrow('has no run "nov"');
    work(runs);
    expect(await end(runs, "dec")).toMatchObject({ fulfilled: 2 });
  });

  it("accepts an ioredis client of the caller, and leaves it open", async () => {
    const connection = new Redis(redis.url);
    onTestFinished(() => connection.disconnect());
    const runs = bulkQueue({ connection, name: "tests" });
    await runs.add("nov", jobsOf(1));
    const worker = work(runs);
    await end(runs);
    await worker.close();
    await runs.close();
    expect(await connection.ping()).toBe("PONG");
  });

  it("rejects a job of another version, which stays in the queue", async () => {
    const runs = openQueue();
    await runs.add("nov", jobsOf(1));
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    const [key = ""] = (await client.keys("bull:tests:*-*")).filter((name) => !name.includes(":run:"));
    const { data = "" } = await client.hgetall(key);
    await client.hset(key, "data", data.replace('"v":1', '"v":2'));
    await expect(work(runs).done).rejects.toThrow(/another version of template-pdf \(format 2, expected 1\)/);
    await client.hset(key, "data", data);
    work(runs);
    expect(await end(runs)).toMatchObject({ fulfilled: 1 });
  });

  it.each([
    [
      "there is no Redis",
      async () => ({ connection: `redis://:pass-word@127.0.0.1:${await freePort()}` }),
      /cannot be reached: ECONNREFUSED/,
    ],
    [
      "the password is wrong",
      async () => ({
        connection: (await startRedis(["--requirepass", "right"])).url.replace("//", "//:pass-word@"),
      }),
      /rejects the user or the password/,
    ],
    [
      "the password is missing",
      async () => ({ connection: (await startRedis(["--requirepass", "pass-word"])).url }),
      /rejects the user or the password/,
    ],
    [
      "Redis may evict jobs",
      async () => ({ connection: (await startRedis(["--maxmemory-policy", "allkeys-lru"])).url }),
      /`maxmemory-policy` is "allkeys-lru". Set it to noeviction/,
    ],
  ])("reports that %s, without the password", async (_title, options, message) => {
    const runs = openQueue(await options());
    const error = await runs.add("nov", jobsOf(1)).catch((caught) => caught);
    expect(error.message).toMatch(message);
    const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
    expect(JSON.stringify(error) + error.stack + shown).not.toContain("pass-word");
    await expect(work(runs).done).rejects.toThrow(message);
  });
});
