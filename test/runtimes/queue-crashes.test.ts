import { readdirSync, readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { setUp, startWorkerProcess } from "./queue/set-up.ts";

const count = 2400;
const concurrency = 16;

/** The document of a job. Each is different. */
const documentOf = ({ n }: { n: number }) =>
  Buffer.from(`%PDF-1.7\n${`document ${n}\n`.repeat(20 + ((n * 37) % 400))}%%EOF\n`);

it("a queue completes all 2,400 jobs even if ten workers and Redis are killed", {
  timeout: 300_000,
}, async () => {
  const { path: out, remove } = makeTemporaryFolder("queue");
  onTestFinished(remove, 60_000);
  const { runs, redis, service } = await setUp(({ body, response }) => {
    setTimeout(() => response.end(documentOf(JSON.parse(body))), 5);
  });
  const work = { concurrency, recoverAfter: 2000 };
  const startWorker = () => startWorkerProcess({ url: redis.url, baseUrl: service.baseUrl, out, work });
  const workers = Array.from({ length: 4 }, startWorker);
  onTestFinished(() => Promise.all(workers.map((worker) => worker.stop())).then(() => {}), 60_000);

  function* jobs() {
    for (let n = 0; n < count; n++) yield { template: "t", values: { n, shelf: n % 3 } };
  }
  const adding = runs.add("all", jobs());
  // Only documents in flight at a kill may be rendered again.
  let inFlight = 0;
  let kills = 0;
  let lastEnded = 0;
  for await (const { fulfilled, total, isAdded } of runs.progress("all", { everyMs: 100 })) {
    lastEnded = fulfilled;
    if (isAdded && fulfilled === total) break;
    if (kills === 10 || (fulfilled / count) * 11 <= kills) continue;
    const victim = kills++ % 4;
    workers[victim]?.child.kill("SIGKILL");
    await workers[victim]?.ended;
    inFlight += concurrency;
    workers[victim] = startWorker();
    if (kills !== 5) continue;
    // An `add` that loses its connection fails, and has to be repeated.
    await adding;
    await redis.kill();
    inFlight += workers.length * concurrency;
    await redis.start();
  }
  await adding;
  expect({ kills, lastEnded }).toEqual({ kills: 10, lastEnded: count });
  for (let n = 0; n < count; n++) {
    const document = readFileSync(`${out}/${n % 3}/${n}.pdf`);
    expect(document.equals(documentOf({ n })), String(n)).toBe(true);
  }
  const files = readdirSync(out, { recursive: true }).map(String);
  expect(files.filter((name) => /[0-9]\.pdf$/.test(name)).length).toBe(count);
  expect(service.requests.length - count).toBeLessThanOrEqual(inFlight);
});
