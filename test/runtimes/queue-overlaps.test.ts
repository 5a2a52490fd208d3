import { bulkQueue } from "template-pdf/queue";
import { expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import { heldBack } from "../support/service.ts";
import { later, listenRaw } from "../support/sockets.ts";
import { answerPdf, endOf, jobsOf, progressOf as readProgress, setUp } from "./queue/set-up.ts";

/** Tests queues when calls overlap, and while Redis is unavailable. */

async function setUpSealed() {
  const setting = await setUp(answerPdf, { sealKey: new Uint8Array(32) });
  const { runs, admin } = setting;
  const progressOf = (run: string) => readProgress(runs, run);
  const idOf = async (run: string) => (await admin.hget("bull:tests:runs", run)) as string;
  const keysOf = async (runId: string) => (await admin.keys("*")).filter((key) => key.includes(runId));
  return Object.assign(setting, { progressOf, idOf, keysOf });
}

/** Runs an action before the first job is encrypted or decrypted. */
function beforeFirst(method: "encrypt" | "decrypt", action: () => Promise<unknown>): void {
  const original = crypto.subtle[method].bind(crypto.subtle);
  const spy = vi.spyOn(crypto.subtle, method).mockImplementationOnce(async (...args) => {
    await action();
    return original(...args);
  });
  onTestFinished(() => spy.mockRestore());
}

it("a queue closes its connection to a Redis server that does not respond", async () => {
  const server = await listenRaw((socket) => void socket.resume());
  onTestFinished(() => server.close());
  const runs = bulkQueue({ connection: { host: "127.0.0.1", port: server.port }, name: "tests" });
  await expect(runs.runs()).rejects.toThrow(/cannot be reached: it is not responding/);
  await eventually(() => server.openSockets === 0);
});

it("a queue does not lose jobs if it is closed while Redis is unavailable", async () => {
  const setting = await setUpSealed();
  const { runs, redis, admin, openQueue, work, service, stored } = setting;
  const { answer, release } = heldBack(answerPdf);
  setting.answer = answer;
  await runs.add("nov", jobsOf(1), { key: () => "no-1" });
  const [busy, idle] = [openQueue(), openQueue()];
  const worker = work(busy, { recoverAfter: 1000 });
  await service.request(0);
  work(idle, { recoverAfter: 1000 });
  await eventually(async () => String(await admin.client("LIST")).split("name=bull:").length > 2);
  const ended = expect(worker.done).rejects.toThrow(/^Redis did not record the results of this worker/);
  await redis.kill();
  const lost = expect(busy.close()).rejects.toThrow(/^Redis did not record the results of this worker/);
  const closing = idle.close().catch(() => {});
  release();
  await Promise.all([ended, lost, closing]);
  // Without Redis, nobody knows whether the run still has the job.
  expect(stored).toEqual([]);
  await redis.start();
  work(runs, { recoverAfter: 1000 });
  expect(await endOf(runs)).toMatchObject({ fulfilled: 1, rejected: 0 });
  expect(stored).toEqual(["no-1"]);
});

it.each(["read", "sent"])("`add` fails if the run is removed while its jobs are being %s", async (when) => {
  const { runs, progressOf, idOf, keysOf } = await setUpSealed();
  let runId = "";
  const remove = async () => {
    runId = await idOf("nov");
    await runs.remove("nov");
  };
  const jobs = async function* () {
    if (when === "read") await remove();
    yield* jobsOf(3);
  };
  if (when === "sent") beforeFirst("encrypt", remove);
  await expect(runs.add("nov", jobs())).rejects.toMatchObject({
    code: "queue_failed",
    message: 'The run "nov" was removed while jobs were being added. Add them again to create a new run.',
  });
  expect({ runIdLength: runId.length, keys: await keysOf(runId), runs: await runs.runs() }).toEqual({
    runIdLength: 12,
    keys: [],
    runs: [],
  });
  expect(await runs.add("nov", jobsOf(3))).toMatchObject({ added: 3 });
  expect(await progressOf("nov")).toMatchObject({ total: 3, waiting: 3 });
});

it("`add` fails until an interrupted `remove` call has been repeated", async () => {
  const { runs, admin, progressOf, idOf, keysOf } = await setUpSealed();
  await runs.add("nov", jobsOf(3));
  const runId = await idOf("nov");
  await admin.del(`bull:tests:run:${runId}`);
  await expect(runs.add("nov", jobsOf(3))).rejects.toThrow(/^The run "nov" is being removed\./);
  await expect(progressOf("nov")).rejects.toThrow('has no run "nov"');
  await runs.remove("nov");
  expect({ keys: await keysOf(runId), waitingCount: await admin.zcard("bull:tests:prioritized") }).toEqual({
    keys: [],
    waitingCount: 0,
  });
});

it("a run's total is final once all concurrent `add` calls have completed", async () => {
  const { runs, openQueue, progressOf } = await setUpSealed();
  const released = later<void>();
  const slow = async function* () {
    await released.promise;
    yield* jobsOf(3);
  };
  const adding = runs.add("nov", slow());
  await eventually(async () => (await runs.runs()).length === 1);
  await openQueue().add("nov", jobsOf(1));
  expect(await progressOf("nov")).toMatchObject({ total: 1, isAdded: false });
  released.resolve();
  await adding;
  expect(await progressOf("nov")).toMatchObject({ total: 3, isAdded: true });
});

it("a run's total is final once a failed or interrupted `add` call has been repeated", async () => {
  const { runs, admin, progressOf, idOf } = await setUpSealed();
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
  const key = `bull:tests:run:${await idOf("nov")}`;
  const completedAtMs = Number(await admin.hget(key, "completed"));
  const finalAfter = async (killedAtMs: number) => {
    await admin.hset(key, { "add:killed": killedAtMs, completed: completedAtMs - 60_000 });
    return (await progressOf("nov")).isAdded;
  };
  expect(await finalAfter(completedAtMs - 50_000)).toBe(false);
  expect(await finalAfter(completedAtMs - 70_000)).toBe(true);
});
