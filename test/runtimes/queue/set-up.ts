import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { type PendingPdf, TemplatePdf } from "template-pdf";
import type { Job } from "template-pdf/bulk";
import { type BulkQueue, bulkQueue, type QueueResult, type WorkOptions } from "template-pdf/queue";
import { fakePdf } from "template-pdf/testing";
import { onTestFinished } from "vitest";
import { type Program, start } from "../../support/programs.ts";
import { startRedis } from "../../support/redis-server.ts";
import { type Answer, Service, saying } from "../../support/service.ts";

/** Responds with a document. */
export const answerPdf: Answer = saying(200, Buffer.from(fakePdf()));

/** Jobs `{ template: "t", values: { n } }` with `n` from 0. */
export const jobsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ template: "t", values: { n }, row: n + 1 }));

/** Starts Redis, a queue in it, and a service that sends this answer until another one is set, for one test. */
export async function setUp(
  answer: Answer = answerPdf,
  options: Partial<Parameters<typeof bulkQueue>[0]> = {},
) {
  const service = await Service.start((received) => setting.answer(received));
  const redis = await startRedis(["--rdbcompression", "no"]);
  const admin = new Redis(redis.url).on("error", () => {});
  onTestFinished(() => admin.disconnect());
  const stored: string[] = [];

  function openQueue(more: typeof options = {}): BulkQueue {
    const queue = bulkQueue({ connection: redis.url, name: "tests", ...options, ...more });
    onTestFinished(() => queue.close());
    return queue;
  }

  /** Starts a worker, whose sink only records the keys of the documents. */
  function work(queue: BulkQueue, more: Partial<WorkOptions<Job>> = {}) {
    const client = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "the-key-of-the-worker" });
    onTestFinished(() => client.close());
    const sink = {
      async put(key: string, pdf: PendingPdf) {
        await pdf.bytes();
        stored.push(key);
      },
    };
    const results: QueueResult<Job>[] = [];
    const onResult = (result: QueueResult<Job>) => void results.push(result);
    const worker = queue.work<Job>({ client, sink, onResult, ...more });
    const ignore = () => {};
    worker.done.catch(ignore);
    onTestFinished(() => worker.close().then(ignore, ignore));
    return Object.assign(worker, { results });
  }

  const setting = { answer, service, redis, admin, stored, openQueue, work, runs: openQueue() };
  return setting;
}

/** Waits until every job of a run is finished. Returns the last progress. */
export async function endOf(runs: BulkQueue, run = "nov") {
  for await (const progress of runs.progress(run, { everyMs: 20 }))
    if (progress.waiting + progress.active === 0) return progress;
  throw new Error("There was no progress.");
}

/** Reads the progress of a run once. */
export async function progressOf(runs: BulkQueue, run = "nov") {
  for await (const progress of runs.progress(run)) return progress;
  throw new Error("There was no progress.");
}

const workerFile = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** Starts a worker in a process of its own. */
export function startWorkerProcess(settings: object): Program {
  return start(process.execPath, [workerFile, JSON.stringify({ name: "tests", ...settings })], {
    cwd: process.cwd(),
  });
}
