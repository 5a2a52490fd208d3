import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bulkQueue } from "template-pdf/queue";
import { expect, it, onTestFinished } from "vitest";
import { type Program, start } from "../support/programs.ts";
import { startRedis } from "../support/redis-server.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { documentOf } from "./bulk/runs.ts";
import { ScriptedService } from "./scripted-service.ts";

const workerFile = fileURLToPath(new URL("queue/worker.mjs", import.meta.url));
const concurrency = 16;

it("20,000 documents are generated completely even if workers are killed 25 times and Redis is killed too", {
  timeout: 600_000,
}, async () => {
  const count = 20_000;
  const redis = await startRedis();
  const folder = makeTemporaryFolder("queue");
  const service = await ScriptedService.start(({ body, response }) => {
    const values = JSON.parse(body);
    setTimeout(() => response.end(documentOf(values)), 5);
  });
  const runs = bulkQueue({ connection: redis.url, name: "crashes" });
  const workers: Program[] = [];
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await runs.close();
    await service.close();
    folder.remove();
  }, 60_000);
  const startWorker = () =>
    start(
      process.execPath,
      [
        workerFile,
        JSON.stringify({
          ...{ url: redis.url, name: "crashes", baseUrl: service.baseUrl, out: folder.path },
          work: { concurrency, recoverAfter: 2000 },
        }),
      ],
      { cwd: process.cwd() },
    );
  for (let at = 0; at < 4; at++) workers.push(startWorker());

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
    const due = Math.floor((fulfilled / count) * 26);
    if (isAdded && fulfilled === total) break;
    if (kills < 25 && due > kills) {
      const victim = kills++ % 4;
      await sleep(Math.random() * 50);
      workers[victim]?.child.kill("SIGKILL");
      await workers[victim]?.ended;
      inFlight += concurrency;
      workers[victim] = startWorker();
      if (kills === 13) {
        await redis.kill();
        inFlight += workers.length * concurrency;
        await sleep(500);
        await redis.start();
      }
    }
  }
  await adding;
  expect([kills, lastEnded]).toEqual([25, count]);
  const isWhole = (n: number) =>
    readFileSync(`${folder.path}/${n % 3}/${n}.pdf`).equals(documentOf({ n, shelf: n % 3 }));
  for (let n = 0; n < count; n++) expect(isWhole(n), String(n)).toBe(true);
  const finished = readdirSync(folder.path, { recursive: true }).filter((name) =>
    /[0-9]\.pdf$/.test(String(name)),
  );
  expect(finished.length).toBe(count);
  expect(service.requests.length - count).toBeLessThanOrEqual(inFlight);
});
