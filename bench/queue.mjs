import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { bulkQueue } from "template-pdf/queue";
import { limiterOf } from "./servers/limiter.mjs";
import { killAtEnd } from "./shared/at-end.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { pdfOf } from "./shared/pdf-of.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { jobs: 1_000_000, documents: 2_000, seconds: 60 };

export const usage = `A queue on a redis-server of its own, which has to be installed: how many jobs a second are added and in how much memory,
what a job takes in Redis, documents a second of 1, 2 and 4 workers against a service that takes 50 ms, and four workers against a
service that allows 200 a second.

  --jobs <n>       jobs that are added; 1,000,000
  --documents <n>  documents for each worker; 2,000
  --seconds <n>    of the service that allows 200 a second; 60`;

const workerFile = fileURLToPath(new URL("queue/worker.mjs", import.meta.url));
const redisPort = 16_379;
const url = `redis://127.0.0.1:${redisPort}`;
const concurrency = 16;

export async function run({ jobs, documents, seconds }) {
  describeMachine();
  const args = ["--port", String(redisPort), "--save", "", "--appendonly", "no"];
  killAtEnd(spawn("redis-server", args, { stdio: "ignore" }));
  const redis = new Redis(url);
  await adding(redis, jobs);
  await scaling(redis, documents);
  await pacing(redis, seconds);
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

/** Has some workers do a run, or as much of it as they can in a time. */
async function work(redis, { workers, baseUrl, count, untilMs = Number.POSITIVE_INFINITY }) {
  const name = `bench-${workers}-${Math.random()}`;
  const runs = bulkQueue({ connection: url, name });
  await runs.add(
    "all",
    Array.from({ length: count }, (_, n) => ({ template: "payslip", values: payslip(n) })),
  );
  const children = Array.from({ length: workers }, () => {
    const settings = JSON.stringify({ url, name, baseUrl, concurrency });
    return killAtEnd(spawn(process.execPath, [workerFile, settings], { stdio: "inherit" }));
  });
  const begin = performance.now();
  for await (const _ of runs.progress("all", { everyMs: 50 })) if (performance.now() - begin > untilMs) break;
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

async function pacing(redis, seconds) {
  const pdf = pdfOf(2_000);
  const print = printTable(["allowed/s", "Retry-After", "settled/s", "of allowed", "refused"], 12);
  for (const kind of ["window", "bucket"]) {
    for (const retryAfter of ["1", "none"]) {
      const isAllowed = limiterOf(kind, 200);
      const counts = { accepted: 0, settled: 0, refused: 0 };
      const begin = performance.now();
      const server = createServer((request, response) => {
        request.resume();
        if (!isAllowed()) {
          counts.refused++;
          response.writeHead(429, retryAfter === "none" ? {} : { "retry-after": retryAfter }).end();
          return;
        }
        counts.accepted++;
        const sinceMs = performance.now() - begin;
        if (sinceMs >= seconds * 500 && sinceMs < seconds * 1000) counts.settled++;
        setTimeout(() => response.end(pdf), 50);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const baseUrl = `http://127.0.0.1:${server.address().port}`;
      await work(redis, { workers: 4, baseUrl, count: 300 * seconds, untilMs: seconds * 1000 });
      server.close();
      const settled = counts.settled / (seconds / 2);
      const share = (100 * counts.refused) / (counts.refused + counts.accepted);
      const cells = [`200, ${kind}`, retryAfter, settled.toFixed(1), `${(settled / 2).toFixed(1)} %`];
      print([...cells, `${share.toFixed(2)} %`]);
    }
  }
}
