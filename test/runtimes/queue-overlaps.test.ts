import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { TemplatePdf } from "template-pdf";
import type { Job } from "template-pdf/bulk";
import { type BulkQueue, bulkQueue } from "template-pdf/queue";
import { fakePdf } from "template-pdf/testing";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import { start } from "../support/programs.ts";
import { type RedisServer, startRedis } from "../support/redis-server.ts";
import { Service } from "../support/service.ts";

/** Tests queues when calls overlap, when processes are killed, and while Redis is unavailable. */

let redis: RedisServer;
let admin: Redis;
let runs: BulkQueue;

beforeEach(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
  admin.on("error", () => {});
  runs = openQueue();
  onTestFinished(() => admin.disconnect());
});

function openQueue(): BulkQueue {
  const queue = bulkQueue({ connection: redis.url, name: "tests", sealKey: new Uint8Array(32) });
  onTestFinished(() => queue.close());
  return queue;
}

const jobsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ template: "t", values: { n } }));

/** Runs an action before the first job is encrypted or decrypted. */
function beforeFirst(method: "encrypt" | "decrypt", action: () => Promise<unknown>): void {
  const original = crypto.subtle[method].bind(crypto.subtle);
  const spy = vi.spyOn(crypto.subtle, method).mockImplementationOnce(async (...args) => {
    await action();
    return original(...args);
  });
  onTestFinished(() => spy.mockRestore());
}

/** Returns the keys of a run. */
async function keysOf(runId: string): Promise<string[]> {
  return (await admin.keys("*")).filter((key) => key.includes(runId));
}

async function progressOf(run: string) {
  for await (const progress of runs.progress(run)) return progress;
  throw new Error("there was no progress");
}

it.each([
  [
    "is too old",
    (text: string) => (/\$4\r\ninfo/i.test(text) ? info : "+OK\r\n"),
    /Redis version needs to be/,
  ],
  ["does not respond", () => "", /cannot be reached: it does not respond/],
])("closes its connection to a Redis server that %s", { timeout: 60_000 }, async (_title, reply, message) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    socket.on("data", (bytes) => {
      for (const _ of String(bytes).matchAll(/^\*/gm)) socket.write(reply(String(bytes)));
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const queue = bulkQueue({
    connection: { host: "127.0.0.1", port, disableClientInfo: true },
    name: "tests",
  });
  await expect(queue.runs()).rejects.toThrow(message);
  await eventually(() => sockets.size === 0);
});

const infoText = "redis_version:3.0.0\r\nmaxmemory_policy:noeviction\r\nloading:0\r\n";
const info = `$${infoText.length}\r\n${infoText}\r\n`;

it("ends the process if a worker stops and `done` is not handled", async () => {
  const program = `
    import { TemplatePdf } from "template-pdf";
    import { bulkQueue } from "template-pdf/queue";
    const client = new TemplatePdf({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
    const runs = bulkQueue({ connection: ${JSON.stringify(redis.url)}, name: "tests" });
    runs.work({ client, sink: { open: async () => { throw new Error("the disk is missing") }, put: async () => {} } });
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "--eval", program];
  const { ended } = start(process.execPath, args, { cwd: process.cwd() });
  expect(await ended).toMatchObject({ exitCode: 1, printed: expect.stringContaining("the disk is missing") });
});

it("closes while Redis is unavailable, and loses no job", { timeout: 60_000 }, async () => {
  let respond = () => {};
  const service = await Service.start(({ response }) => {
    respond = () => response.end(fakePdf());
  });
  const client = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "key" });
  onTestFinished(() => client.close());
  const stored: string[] = [];
  const sink = {
    async put(key: string, document: { bytes(): Promise<unknown> }) {
      await document.bytes();
      stored.push(key);
    },
  };
  const work = (queue: BulkQueue) => queue.work<Job>({ client, sink, recoverAfter: 1000 });
  await runs.add("nov", jobsOf(1), { key: () => "no-1" });
  const [busy, idleQueue] = [openQueue(), openQueue()];
  const worker = work(busy);
  await service.request(0);
  const idle = work(idleQueue);
  await eventually(async () => String(await admin.client("LIST")).split("name=bull:").length > 2);
  const ended = expect(worker.done).rejects.toThrow(/^Redis did not record the results of this worker/);
  await redis.kill();
  const closing = [idle.close(), idleQueue.close(), busy.close()];
  respond();
  await Promise.all([ended, ...closing]);
  expect(stored).toEqual(["no-1"]);
  await redis.start();
  work(runs);
  await service.request(1);
  respond();
  for await (const progress of runs.progress("nov", { everyMs: 20 })) expect(progress.rejected).toBe(0);
  expect(stored).toEqual(["no-1", "no-1"]);
});

it("rejects calls that wait for Redis when the queue is closed", async () => {
  await runs.runs();
  await redis.kill();
  await eventually(() => admin.status === "reconnecting");
  const waiting = expect(runs.runs()).rejects.toThrow("Connection is closed");
  await runs.close();
  await waiting;
});

it.each(["jobs are read", "jobs are sent"])(
  "`add` fails and leaves nothing if the run is removed while its %s",
  async (when) => {
    let runId = "";
    const remove = async () => {
      runId = (await admin.hget("bull:tests:runs", "nov")) as string;
      await runs.remove("nov");
    };
    const jobs = async function* () {
      if (when === "jobs are read") await remove();
      yield* jobsOf(3);
    };
    if (when === "jobs are sent") beforeFirst("encrypt", remove);
    await expect(runs.add("nov", jobs())).rejects.toMatchObject({
      code: "queue_failed",
      message: 'The run "nov" was removed while jobs were added. Add them again to create a new run.',
    });
    expect([runId.length, await keysOf(runId), await runs.runs()]).toEqual([12, [], []]);
    expect(await runs.add("nov", jobsOf(3))).toMatchObject({ added: 3 });
    expect(await progressOf("nov")).toMatchObject({ total: 3, waiting: 3 });
  },
);

it("an interrupted removal can be repeated, and `add` fails until then", async () => {
  await runs.add("nov", jobsOf(3));
  const runId = (await admin.hget("bull:tests:runs", "nov")) as string;
  await admin.del(`bull:tests:run:${runId}`);
  await expect(runs.add("nov", jobsOf(3))).rejects.toThrow(/^The run "nov" is being removed\./);
  await expect(progressOf("nov")).rejects.toThrow('has no run "nov"');
  await runs.remove("nov");
  expect([await keysOf(runId), await admin.llen("bull:tests:wait")]).toEqual([[], 0]);
});

it("the total is final when the last running `add` has completed", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = async function* () {
    await released;
    yield* jobsOf(3);
  };
  const adding = runs.add("nov", slow());
  await eventually(async () => (await runs.runs()).length === 1);
  await openQueue().add("nov", jobsOf(1));
  expect(await progressOf("nov")).toMatchObject({ total: 1, isAdded: false });
  release();
  await adding;
  expect(await progressOf("nov")).toMatchObject({ total: 3, isAdded: true });
});

it("the total is final when a failed or killed `add` was repeated", async () => {
  const failing = function* () {
    yield* jobsOf(1);
    throw new Error("the cursor was closed");
  };
  await runs.add("nov", jobsOf(1));
  await expect(runs.add("nov", failing())).rejects.toThrow("the cursor was closed");
  expect(await progressOf("nov")).toMatchObject({ isAdded: false });
  await runs.add("nov", jobsOf(2));
  expect(await progressOf("nov")).toMatchObject({ total: 2, isAdded: true });
  // A killed `add` leaves the time of its last renewal.
  const key = `bull:tests:run:${await admin.hget("bull:tests:runs", "nov")}`;
  const completedAtMs = Number(await admin.hget(key, "completed"));
  const finalAfter = async (killedAtMs: number) => {
    await admin.hset(key, { "add:killed": killedAtMs, completed: completedAtMs - 60_000 });
    return (await progressOf("nov")).isAdded;
  };
  expect(await finalAfter(completedAtMs + 600_000)).toBe(false);
  expect(await finalAfter(completedAtMs - 50_000)).toBe(false);
  expect(await finalAfter(completedAtMs - 70_000)).toBe(true);
});

it("`failures` lists every failed job, even if others are retried at the same time", async () => {
  await runs.add("nov", jobsOf(1500));
  const failed = await admin.lrange("bull:tests:wait", 0, -1);
  await admin.zadd("bull:tests:failed", ...failed.flatMap((id, at) => [at, id]));
  beforeFirst("decrypt", () => admin.zrem("bull:tests:failed", ...failed.slice(0, 600)));
  const indexes = (await runs.failures("nov", { limit: 2000 })).map(({ index }) => index);
  expect(indexes.length).toBe(1500);
  expect(new Set(indexes).size).toBe(1500);
});
