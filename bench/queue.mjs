import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { bulkQueue } from "template-pdf/queue";
import { killAtEnd } from "./shared/at-end.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { pdfOf } from "./shared/pdf-of.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { jobs: 1_000_000, documents: 2_000 };

export const usage = `Measures a queue with its own redis-server, which must be installed: added jobs per second, the memory of this process and of
Redis, and documents per second of 1, 2 and 4 workers with a service that takes 50 ms.

  --jobs <n>        jobs to add (default: 1,000,000)
  --documents <n>   documents of each worker (default: 2,000)`;

const workerFile = fileURLToPath(new URL("queue/worker.mjs", import.meta.url));
const redisPort = 16_379;
const url = `redis://127.0.0.1:${redisPort}`;
const concurrency = 16;

export async function run({ jobs, documents }) {
  describeMachine();
  const args = ["--port", String(redisPort), "--save", "", "--appendonly", "no"];
  killAtEnd(spawn("redis-server", args, { stdio: "ignore" }));
  const redis = new Redis(url);
  await adding(redis, jobs);
  await scaling(redis, documents);
  redis.disconnect();
}

/** The values of a payslip: some 300 bytes of JSON. */
const payslip = (n) => ({
  employee: `E-${n}`,
  name: `Employee number ${n}`,
  period: "November 2026",
  lines: [
    { text: "Salary", amount: "4,200.00" },
    { text: "Income tax", amount: "-812.40" },
    { text: "Health insurance", amount: "-306.60" },
  ],
  total: "3,081.00",
  iban: "DE02 1203 0000 0000 2020 51",
});

async function adding(redis, count) {
  const runs = bulkQueue({ connection: url, name: "adding" });
  const jobs = function* () {
    for (let n = 0; n < count; n++) yield { template: "payslip", values: payslip(n) };
  };
  const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
  const before = await usedBytes();
  const begin = performance.now();
  let peak = 0;
  const onProgress = () => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  await runs.add("all", jobs(), { onProgress });
  const durationMs = performance.now() - begin;
  const perJob = ((await usedBytes()) - before) / count;
  const print = printTable(["jobs", "added/s", "peak of this process", "Redis, a waiting job"], 22);
  const cells = [count, Math.round((count * 1000) / durationMs), `${Math.round(peak / 1e6)} MB`];
  print([...cells.map(String), `${Math.round(perJob)} bytes`]);
  await runs.close();
  await redis.flushall();
}

/** Generates the documents of a run with some workers. */
async function work(redis, { workers, baseUrl, count }) {
  const name = `bench-${workers}-${Math.random()}`;
  const runs = bulkQueue({ connection: url, name });
  await runs.add(
    "all",
    Array.from({ length: count }, (_, n) => ({ template: "payslip", values: payslip(n) })),
  );
  const children = Array.from({ length: workers }, () => {
    const settings = JSON.stringify({ url, name, baseUrl, work: { concurrency } });
    return killAtEnd(spawn(process.execPath, [workerFile, settings], { stdio: "inherit" }));
  });
  for await (const _ of runs.progress("all", { everyMs: 50 }));
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  await runs.close();
  await redis.flushall();
}

async function scaling(redis, documents) {
  const pdf = pdfOf(2_000);
  let firstAtMs = 0;
  let lastAtMs = 0;
  const server = createServer((request, response) => {
    firstAtMs ||= performance.now();
    request.resume();
    setTimeout(() => {
      lastAtMs = performance.now();
      response.end(pdf);
    }, 50);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const print = printTable(["workers", "documents/s", "× one worker"], 14);
  let one = 0;
  for (const workers of [1, 2, 4]) {
    firstAtMs = 0;
    const count = workers * documents;
    await work(redis, { workers, baseUrl, count });
    const perSecond = (count * 1000) / (lastAtMs - firstAtMs);
    one ||= perSecond;
    print([String(workers), perSecond.toFixed(0), (perSecond / one).toFixed(2)]);
  }
  server.close();
}
