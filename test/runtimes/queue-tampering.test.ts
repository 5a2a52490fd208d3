import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import type { BulkQueue } from "template-pdf/queue";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { slowestProperty } from "../support/fuzz.ts";
import { saying } from "../support/service.ts";
import { answerPdf, endOf, jobsOf, setUp } from "./queue/set-up.ts";

/** Somebody who can write to Redis, or another program, changes the data of a queue. */

const sealKey = new Uint8Array(32).fill(7);
const prefix = "bull:tests";

/** Ids of the waiting jobs, the first one first. */
const waitingIds = async (admin: Redis) => admin.zrange(`${prefix}:prioritized`, "0", "-1");
const dataOf = async (admin: Redis, id: string) => (await admin.hget(`${prefix}:${id}`, "data")) as string;
const setData = (admin: Redis, id: string, data: string) => admin.hset(`${prefix}:${id}`, "data", data);

/** Adds three jobs, changes the second one, and returns it with what the worker then does. */
async function changeSecondOf(
  change: (admin: Redis, id: string) => Promise<unknown>,
  options: Parameters<typeof setUp>[1] = { sealKey },
) {
  const setting = await setUp(answerPdf, options);
  const { runs, admin } = setting;
  await runs.add("nov", jobsOf(3), { key: ({ values }) => `no-${values.n}` });
  const id = (await waitingIds(admin))[1] as string;
  await change(admin, id);
  const errors: string[] = [];
  const onError = ({ message }: Error) => void errors.push(message);
  const worker = setting.work(runs, { onError, recoverAfter: 1000 });
  const messageWith = (why: string) =>
    `Job "${id}" of run "nov" cannot be read: ${why}. Add the same jobs again to replace it.`;
  return Object.assign(setting, { id, errors, worker, messageWith });
}

describe("a worker with a `sealKey`", () => {
  it("rejects a job that was replaced by an unsealed one, and names it", async () => {
    const content = {
      job: { template: "t", values: { n: 666 }, options: { headers: { "x-forged": "1" }, verify: false } },
      index: 1,
    };
    const setting = await changeSecondOf((admin, id) =>
      setData(admin, id, JSON.stringify({ v: 3, input: "i".repeat(12), content })),
    );
    const { runs, errors, worker, messageWith, service, id, work } = setting;
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    const message = messageWith("it is not sealed, but this queue has a `sealKey`");
    expect(errors).toEqual([message]);
    expect(await runs.failures("nov")).toMatchObject([
      { id, key: undefined, index: undefined, code: "queue_failed", message },
    ]);
    expect(service.requests.map(({ body }) => body).sort()).toEqual(['{"n":0}', '{"n":2}']);
    expect(await worker.close()).toMatchObject({ fulfilled: 2, rejected: 1, failures: [{ indexes: [] }] });

    // The same jobs replace it.
    expect(await runs.add("nov", jobsOf(3), { key: ({ values }) => `no-${values.n}` })).toMatchObject({
      added: 1,
      known: 2,
    });
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 3, fulfilled: 3, rejected: 0 });
    expect(service.requests.map(({ body }) => body).sort()).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
  });

  const foreign = "it was changed, or belongs to another job, run, queue or `sealKey`";

  it("rejects the data of another job of its run", async () => {
    const { runs, errors, messageWith } = await changeSecondOf(async (admin, id) => {
      const [first = ""] = await waitingIds(admin);
      await setData(admin, id, await dataOf(admin, first));
    });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(errors).toEqual([messageWith(foreign)]);
  });

  it("rejects a job that was copied from another queue with the same key", async () => {
    const setting = await setUp(answerPdf, { sealKey });
    const { runs, openQueue, admin, work, service } = setting;
    await openQueue({ name: "others" }).add("nov", [{ template: "t", values: { n: 666 } }]);
    await runs.add("nov", jobsOf(1));
    // Even the run and its record are copied.
    const other = (await admin.hget("bull:others:runs", "nov")) as string;
    const [id = ""] = await admin.zrange("bull:others:prioritized", "0", "-1");
    for (const key of [`run:${other}`, `run:${other}:jobs`, id]) {
      await admin.copy(`bull:others:${key}`, `${prefix}:${key}`);
    }
    await admin.hset(`${prefix}:runs`, "nov", other);
    await admin.zadd(`${prefix}:prioritized`, 1, id);
    await expect(work(runs).done).rejects.toThrow(
      'The run "nov" is sealed with a different key, or was renamed. Use the same `sealKey` on all machines; its jobs are still in the queue.',
    );
    expect(service.requests.map(({ body }) => body)).not.toContain('{"n":666}');
  });

  it("rejects the earlier values of a job whose values were replaced", async () => {
    const setting = await setUp(saying(422), { sealKey });
    const { runs, admin, work, service } = setting;
    const add = (n: number) => runs.add("nov", [{ template: "t", values: { n } }], { key: () => "E-1" });
    await add(1);
    const [id = ""] = await waitingIds(admin);
    const earlier = await dataOf(admin, id);
    const worker = work(runs);
    await endOf(runs);
    await worker.close();
    setting.answer = answerPdf;
    await add(2);
    await setData(admin, id, earlier);
    const errors: string[] = [];
    work(runs, { onError: ({ message }) => void errors.push(message) });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 0, rejected: 1 });
    expect(errors).toEqual([expect.stringContaining("cannot be read: its run has other values for it")]);
    expect(service.requests.map(({ body }) => body)).toEqual(['{"n":1}']);
  });

  it("does not process a run that was renamed, and `add` does not add to it", async () => {
    const { runs, admin, work, service } = await setUp(answerPdf, { sealKey });
    await runs.add("nov", jobsOf(1));
    await admin.hset(`${prefix}:runs`, "dec", (await admin.hget(`${prefix}:runs`, "nov")) as string);
    await admin.hdel(`${prefix}:runs`, "nov");
    const [id = ""] = await waitingIds(admin);
    await admin.hset(`${prefix}:${id}`, "name", "dec");
    const message = 'The run "dec" is sealed with a different key, or was renamed.';
    await expect(runs.add("dec", jobsOf(2))).rejects.toThrow(message);
    await expect(runs.failures("dec")).rejects.toThrow(message);
    await expect(work(runs).done).rejects.toThrow(message);
    expect(service.requests).toEqual([]);
  });

  it("leaves runs without a key in the queue until `acceptUnsealed` is set", async () => {
    const { openQueue, work, runs: withoutKey } = await setUp();
    await withoutKey.add("nov", jobsOf(2));
    const sealing = openQueue({ sealKey });
    const message =
      'The run "nov" was added without a `sealKey`. Set `acceptUnsealed: true` until it is finished';
    await expect(work(sealing).done).rejects.toMatchObject({
      code: "queue_failed",
      message: expect.stringContaining(message),
    });
    await expect(sealing.add("nov", jobsOf(3))).rejects.toThrow(message);
    const migrating = openQueue({ sealKey, acceptUnsealed: true });
    await expect(migrating.add("nov", jobsOf(3))).rejects.toThrow(
      'The run "nov" was added without a `sealKey`. Use another run name for sealed jobs.',
    );
    await migrating.add("dec", jobsOf(3));
    work(migrating);
    expect(await endOf(migrating, "nov")).toMatchObject({ fulfilled: 2 });
    expect(await endOf(migrating, "dec")).toMatchObject({ fulfilled: 3 });
  });

  it("rejects an unsealed job in a sealed run even if `acceptUnsealed` is set", async () => {
    const content = { job: { template: "t", values: { n: 666 } }, index: 1 };
    const { runs, errors, messageWith } = await changeSecondOf(
      (admin, id) => setData(admin, id, JSON.stringify({ v: 3, input: "i".repeat(12), content })),
      { sealKey, acceptUnsealed: true },
    );
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(errors).toEqual([messageWith("its run has another format for it")]);
  });

  it("stores no digest that can be computed without the key", async () => {
    const { runs, admin, work } = await setUp(answerPdf, { sealKey });
    const salary = { template: "payslip", values: { net: "3081.00" } };
    await runs.add("nov", [salary], { key: () => "E-1" });
    const sinkKey = {
      keyOf: () => "E-1.pdf",
      put: async (_key: string, pdf: AsyncIterable<unknown>) => {
        for await (const _ of pdf);
      },
    };
    const worker = work(runs, { sink: sinkKey });
    await endOf(runs);
    await worker.close();
    const runId = (await admin.hget(`${prefix}:runs`, "nov")) as string;
    const table = JSON.stringify([
      await admin.hgetall(`${prefix}:run:${runId}:jobs`),
      await admin.hgetall(`${prefix}:run:${runId}`),
    ]);
    expect(await guessesIn(table, runId, salary)).toEqual([]);

    // Without a key, anyone who reads Redis can test a guess. The guide says so.
    await runs.close();
    const { runs: open, admin: openAdmin } = await setUp();
    await open.add("nov", [salary], { key: () => "E-1" });
    const openId = (await openAdmin.hget(`${prefix}:runs`, "nov")) as string;
    const openTable = JSON.stringify(await openAdmin.hgetall(`${prefix}:run:${openId}:jobs`));
    expect(await guessesIn(openTable, openId, salary)).toEqual(["key", "input"]);
  });
});

/** Which digests of a right guess are in the table of a run, if no key is needed to compute them. */
async function guessesIn(table: string, runId: string, job: { template: string; values: object }) {
  const texts = { key: "E-1", input: JSON.stringify([job.template, job.values]), place: "E-1.pdf" };
  return Object.entries(texts)
    .filter(([kind, text]) => {
      const salted = JSON.stringify(["bull", "tests", "nov", runId, kind, text]);
      const digest = createHash("sha256")
        .update(salted)
        .digest()
        .subarray(0, kind === "input" ? 9 : 15);
      return table.includes(digest.toString("base64url"));
    })
    .map(([kind]) => kind);
}

describe("a worker", () => {
  const unsealed = {};
  it.each<[what: string, change: (admin: Redis, id: string) => Promise<unknown>, why: string]>([
    ["its data is null", (admin, id) => setData(admin, id, "null"), "its data is null"],
    [
      "its content is null",
      (admin, id) => setData(admin, id, '{"v":3,"input":"i","content":null}'),
      "its content is null",
    ],
    [
      "its data has an earlier format",
      (admin, id) => setData(admin, id, '{"v":2,"content":{}}'),
      "its format is not 3",
    ],
    ["its data is missing", (admin, id) => admin.hdel(`${prefix}:${id}`, "data"), "its format is not 3"],
    ["its data is not JSON", (admin, id) => setData(admin, id, "{nope"), "its data is null"],
    [
      "its options are not JSON",
      (admin, id) => admin.hset(`${prefix}:${id}`, "opts", "{nope"),
      "its data is null",
    ],
    [
      "its options are null",
      (admin, id) => admin.hset(`${prefix}:${id}`, "opts", "null"),
      "its data is null",
    ],
    [
      "its progress is not JSON",
      (admin, id) => admin.hset(`${prefix}:${id}`, "progress", "{nope"),
      "its data is null",
    ],
    [
      "its count of starts is not a number",
      (admin, id) => admin.hset(`${prefix}:${id}`, "ats", "x"),
      "its data is null",
    ],
  ])("names and rejects a job if %s, and processes the others", async (_what, change, why) => {
    const { runs, id, messageWith, worker, errors } = await changeSecondOf(change, unsealed);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(await runs.failures("nov")).toMatchObject([{ id, message: messageWith(why) }]);
    expect(errors).toContain(messageWith(why));
    expect(await worker.close()).toMatchObject({ fulfilled: 2, rejected: 1 });
  });

  it("names and fails a job that another program added, and processes its own jobs", async () => {
    const { runs, admin, work } = await setUp();
    await admin.lpush(`${prefix}:wait`, "77");
    await runs.add("nov", jobsOf(3));
    const errors: string[] = [];
    const worker = work(runs, { onError: ({ message }) => void errors.push(message) });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 3, rejected: 0 });
    await eventually(() => errors.length === 1);
    expect(errors).toEqual([
      'Job "77" was not added by template-pdf. Use another queue name for jobs of other programs.',
    ]);
    expect(await admin.zrange(`${prefix}:failed`, "0", "-1")).toEqual(["77"]);
    expect(await worker.close()).toMatchObject({ fulfilled: 3, rejected: 1 });
  });

  slowestProperty("finishes its run, whatever the data of one job was changed to", () => {
    const json = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.string(),
      fc
        .record({ v: fc.constant(3), input: fc.string(), content: fc.jsonValue() })
        .map((data) => JSON.stringify(data)),
    );
    return fc.asyncProperty(json, fc.constantFrom<object>({ sealKey }, {}), async (data, options) => {
      const { runs, worker } = await changeSecondOf((admin, id) => setData(admin, id, data), options);
      expect(await endOf(runs)).toMatchObject({ total: 3, fulfilled: 2, rejected: 1 });
      await closeAll(worker, runs);
    });
  });
});

async function closeAll(worker: { close(): Promise<unknown> }, runs: BulkQueue): Promise<void> {
  await worker.close();
  await runs.close();
}
