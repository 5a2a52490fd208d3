import { connect, createServer, type Socket } from "node:net";
import { Cluster, Redis } from "ioredis";
import { TemplatePdf } from "template-pdf";
import { type BulkQueue, bulkQueue } from "template-pdf/queue";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { start } from "../support/programs.ts";
import { freePort, startRedisCluster, startRedisSentinel } from "../support/redis-server.ts";
import { heldBack } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";
import { answerPdf, endOf, jobsOf, progressOf, setUp } from "./queue/set-up.ts";

/** Redis as people have it: clusters, Sentinel, users without permissions, servers that hang. */

const ofCluster = (nodes: readonly { readonly port: number }[]) => {
  const cluster = new Cluster(nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
  onTestFinished(() => cluster.disconnect());
  return cluster;
};

/** Opens a queue of another server than the one of `setUp`. */
function queueAt(options: Partial<Parameters<typeof bulkQueue>[0]>): BulkQueue {
  const queue = bulkQueue({ name: "tests", connection: "", ...options });
  onTestFinished(() => queue.close());
  return queue;
}

describe("a queue in a Redis cluster", () => {
  it("completes its jobs, with a default prefix in braces", { timeout: 60_000 }, async () => {
    const [{ work }, nodes] = await Promise.all([setUp(), startRedisCluster()]);
    const runs = queueAt({ connection: ofCluster(nodes) });
    await runs.add("nov", jobsOf(50));
    work(runs);
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 50, rejected: 0 });
    await runs.add("dec", jobsOf(20));
    await runs.remove("nov");
    expect(await endOf(runs, "dec")).toMatchObject({ fulfilled: 20 });
    expect(await runs.runs()).toEqual(["dec"]);
    const keys = (await Promise.all(nodes.map(({ url }) => keysAt(url)))).flat();
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every((key) => key.startsWith("{bull}:tests:"))).toBe(true);

    await expect(queueAt({ connection: ofCluster(nodes), prefix: "bull" }).runs()).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining("{"),
    });
    await expect(queueAt({ connection: nodes[0]?.url as string }).runs()).rejects.toThrow(
      /is a node of a cluster\. Pass `connection: new Cluster\(…\)` from ioredis\.$/,
    );
  });
});

async function keysAt(url: string): Promise<string[]> {
  const redis = new Redis(url);
  const keys = await redis.keys("*");
  redis.disconnect();
  return keys;
}

it("a queue continues after a Sentinel failover", { timeout: 60_000 }, async () => {
  const setting = await setUp();
  const { connection, failOver, primary } = await startRedisSentinel();
  const runs = queueAt({ connection: { ...connection } });
  const { answer, release } = heldBack(answerPdf);
  setting.answer = answer;
  await runs.add("nov", jobsOf(40));
  setting.work(runs, { recoverAfter: 1000, onError: () => {} });
  await setting.service.request(1);
  const redis = new Redis(primary.url);
  await redis.set("last", 1);
  expect(await redis.wait(1, 10_000)).toBe(1);
  redis.disconnect();
  await failOver();
  release();
  expect(await endOf(runs)).toMatchObject({ total: 40, fulfilled: 40, rejected: 0 });
});

describe("a Redis user", () => {
  it("may lack the permission for INFO", async () => {
    const { admin, redis, work } = await setUp();
    await admin.call("ACL", "SETUSER", "app", "on", ">pw", "~*", "&*", "+@all", "-info");
    const runs = queueAt({ connection: redis.url.replace("//", "//app:pw@") });
    await runs.add("nov", jobsOf(10));
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 10 });
  });

  it.each(["hset", "eval", "zadd", "hgetall", "unlink", "rpoplpush"])(
    "who lacks the permission for %s is told the name of the command",
    async (command) => {
      const { admin, redis } = await setUp();
      await admin.call("ACL", "SETUSER", "app", "on", ">pw", "~*", "&*", "+@all", `-${command}`);
      const runs = queueAt({ connection: redis.url.replace("//", "//app:pw@") });
      await expect(runs.add("nov", jobsOf(3))).rejects.toMatchObject({
        code: "queue_failed",
        message: expect.stringMatching(
          new RegExp(`^The Redis user at .* lacks a permission for ${command.toUpperCase()}\\. Allow it all`),
        ),
      });
    },
  );
});

it("a queue refuses a `keyPrefix`, in options and in a client", async () => {
  const { redis } = await setUp();
  const client = new Redis(redis.url, { keyPrefix: "app:" });
  onTestFinished(() => client.disconnect());
  const message =
    /has a `keyPrefix`, which BullMQ does not support\. Remove it, and set the queue's `prefix`\.$/;
  for (const connection of [{ host: "127.0.0.1", port: redis.port, keyPrefix: "app:" }, client]) {
    await expect(queueAt({ connection }).runs()).rejects.toThrow(message);
  }
});

describe("a queue whose Redis hangs", () => {
  it("tells `onError` once, obeys the signal of `add`, and continues afterwards", async () => {
    const { admin, runs, work } = await setUp();
    const pid = await processIdOf(admin);
    const errors: string[] = [];
    await runs.add("nov", jobsOf(1));
    work(runs, { onError: ({ message }) => void errors.push(message) });
    await endOf(runs);
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    const reason = new Error("enough");
    const abort = new AbortController();
    const adding = runs.add("dec", jobsOf(5), { signal: abort.signal });
    setTimeout(() => abort.abort(reason), 100);
    await expect(adding).rejects.toBe(reason);
    await eventually(() => errors.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(errors).toEqual([expect.stringMatching(/^Redis has not responded for 5 s\./)]);
    process.kill(pid, "SIGCONT");
    await runs.add("dec", jobsOf(5));
    expect(await endOf(runs, "dec")).toMatchObject({ fulfilled: 5 });
  });

  it("does not fail the documents of a worker that closes meanwhile", async () => {
    const setting = await setUp();
    const { admin, runs, work, openQueue, service } = setting;
    const pid = await processIdOf(admin);
    const answers: (() => void)[] = [];
    setting.answer = (received) => void answers.push(() => answerPdf(received));
    await runs.add("nov", jobsOf(2));
    const worker = work(openQueue(), { recoverAfter: 2000 });
    const idle = openQueue({ name: "idle" });
    const idleWorker = work(idle);
    await eventually(() => service.requests.length === 2);
    await idle.runs();
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    for (const answer of answers) answer();
    const ends = Promise.allSettled([worker.close(), idleWorker.close()]);
    const [end, idleEnd] = await ends;
    expect(end).toMatchObject({ status: "rejected", reason: { code: "queue_failed" } });
    // It had nothing to record.
    expect(idleEnd).toMatchObject({ status: "fulfilled", value: { fulfilled: 0 } });
    process.kill(pid, "SIGCONT");
    expect(await progressOf(runs)).toMatchObject({ total: 2, rejected: 0 });
    setting.answer = answerPdf;
    work(runs, { recoverAfter: 2000 });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 0 });
  }, 60_000);

  it("obeys the signal of `add` before the first response", async () => {
    const server = await listenRaw((socket) => void socket.resume());
    onTestFinished(() => server.close());
    const runs = queueAt({ connection: { host: "127.0.0.1", port: server.port, connectTimeout: 2_000 } });
    const reason = new Error("enough");
    const startedAtMs = performance.now();
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 100);
    await expect(runs.add("nov", jobsOf(1), { signal: abort.signal })).rejects.toBe(reason);
    expect(performance.now() - startedAtMs).toBeLessThan(1_900);
  });
});

it.each(["is unavailable", "hangs"])(
  "a process exits if its queue is closed while Redis %s",
  {
    timeout: 60_000,
  },
  async (what) => {
    const { answer, begun, release } = heldBack(answerPdf);
    const { admin, redis, runs, service } = await setUp(answer);
    const pid = await processIdOf(admin);
    await runs.add("nov", jobsOf(1));
    const program = `
import { TemplatePdf } from "template-pdf";
import { bulkQueue } from "template-pdf/queue";
const client = new TemplatePdf({ baseUrl: ${JSON.stringify(service.baseUrl)}, apiKey: "key" });
const runs = bulkQueue({ connection: ${JSON.stringify(redis.url)}, name: "tests" });
const sink = { put: (_key, pdf) => pdf.bytes() };
runs.work({ client, sink }).done.catch(({ message }) => console.log("done:", message));
process.once("SIGTERM", async () => {
  console.log("closing");
  await runs.close().then(() => console.log("closed"), ({ message }) => console.log("close:", message));
  await client.close();
  console.log("the end");
});`;
    const child = start(process.execPath, ["--input-type=module", "-e", program], { cwd: process.cwd() });
    onTestFinished(() => child.stop());
    await begun;
    if (what === "hangs") process.kill(pid, "SIGSTOP");
    else await redis.kill();
    child.child.kill("SIGTERM");
    await child.prints(/closing/);
    const startedAtMs = performance.now();
    release();
    const { exitCode, stdout } = await child.ended;
    expect(performance.now() - startedAtMs).toBeLessThan(25_000);
    const lost = "Redis did not record the results of this worker";
    expect(stdout).toContain(`done: ${lost}`);
    expect(stdout).toContain(`close: ${lost}`);
    expect(stdout).toContain("the end");
    expect(exitCode).toBe(0);
  },
);

it("lists no failure for a document that is stored, if its worker lost Redis afterwards", async () => {
  const setting = await setUp(answerPdf);
  const { redis, runs, openQueue, work, service } = setting;
  const proxy = await startProxy(redis.port);
  const url = `redis://127.0.0.1:${proxy.port}`;
  const client = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "key" });
  onTestFinished(() => client.close());
  const cut = { put: (_key: string, pdf: { bytes(): Promise<unknown> }) => pdf.bytes().then(proxy.cut) };
  await runs.add("nov", jobsOf(1));
  const never = { retry: { mayRenderTwice: false }, recoverAfter: 1000, onError: () => {} };
  const first = work(openQueue({ connection: url }), { sink: cut as never, client, ...never });
  await eventually(() => proxy.isCut);
  const second = work(runs, never);
  await eventually(async () => (await runs.failures("nov")).length === 1);
  proxy.restore();
  await eventually(() => first.results.length === 1);
  expect(await runs.failures("nov")).toEqual([]);
  expect(await endOf(runs)).toMatchObject({ fulfilled: 1, rejected: 0 });
  expect([...first.results, ...second.results].map(({ status }) => status)).toContain("fulfilled");
  expect(await runs.retry("nov")).toBe(0);
  expect(service.requests.length).toBe(1);
});

it("a worker closes without delay if Redis has just become available again", async () => {
  const { redis, openQueue, work, runs } = await setUp();
  const proxy = await startProxy(redis.port);
  const worker = work(openQueue({ connection: `redis://127.0.0.1:${proxy.port}` }), { onError: () => {} });
  await runs.add("nov", jobsOf(3));
  await endOf(runs);
  proxy.cut();
  // The connections now wait between two attempts to connect.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  proxy.restore();
  const startedAtMs = performance.now();
  expect(await worker.close()).toMatchObject({ fulfilled: 3 });
  expect(performance.now() - startedAtMs).toBeLessThan(8_000);
});

async function processIdOf(redis: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await redis.info("server"))?.[1]);
}

/** Starts a TCP proxy that can be cut, like a network. */
async function startProxy(target: number) {
  const port = await freePort();
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const other = connect(target, "127.0.0.1");
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {}).pipe(two);
      one.once("close", () => two.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    port,
    cut,
    get isCut() {
      return isCut;
    },
    restore: () => {
      isCut = false;
    },
  };
}
