import { Queue } from "bullmq";
import type { Job } from "template-pdf/bulk";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { saying } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { answerPdf, endOf, jobsOf, progressOf, setUp, startWorkerProcess } from "./queue/set-up.ts";

/** BullMQ's own `Queue` acts on the jobs, as dashboards do. */

const keyOf = ({ values }: Job) => `no-${(values as { n: number }).n}`;

async function setUpDashboard(...args: Parameters<typeof setUp>) {
  const setting = await setUp(...args);
  const dashboard = new Queue("tests", { connection: { url: setting.redis.url } });
  dashboard.on("error", () => {});
  onTestFinished(() => dashboard.close());
  return Object.assign(setting, { dashboard });
}

/** Refuses the job with `n` 1. */
const refuseSecond: Parameters<typeof setUp>[0] = (received) =>
  (received.body === '{"n":1}' ? saying(422) : answerPdf)(received);

describe("a dashboard", () => {
  it("shows the jobs of a run", async () => {
    const { dashboard, runs } = await setUpDashboard();
    await runs.add("nov", jobsOf(3));
    const jobs = await dashboard.getJobs(["prioritized", "waiting"]);
    expect(jobs.map(({ name, data }) => [name, data.content.job.values.n]).sort()).toEqual([
      ["nov", 0],
      ["nov", 1],
      ["nov", 2],
    ]);
    expect(await dashboard.getJobCounts("prioritized", "failed")).toEqual({ prioritized: 3, failed: 0 });
  });

  it("deletes waiting jobs, which then count as failed", async () => {
    const { dashboard, runs, work } = await setUpDashboard();
    await runs.add("nov", jobsOf(10), { key: keyOf });
    const [first, second] = await dashboard.getJobs(["prioritized"]);
    await first?.remove();
    await second?.remove();
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 10, fulfilled: 8, rejected: 2 });
    const message = "The job was deleted from Redis. Add it again.";
    expect((await runs.failures("nov")).map((failure) => failure.message)).toEqual([message, message]);
    expect(await runs.retry("nov")).toBe(0);
    expect(await runs.add("nov", jobsOf(10), { key: keyOf })).toMatchObject({ added: 2, known: 8 });
    expect(await endOf(runs)).toMatchObject({ total: 10, fulfilled: 10, rejected: 0 });
  });

  it("deletes all waiting jobs with `drain` and `clean`", async () => {
    const { dashboard, runs, work } = await setUpDashboard();
    await runs.add("nov", jobsOf(10));
    expect((await dashboard.clean(0, 4, "prioritized")).length).toBe(4);
    await dashboard.drain();
    work(runs);
    expect(await endOf(runs)).toMatchObject({ total: 10, fulfilled: 0, rejected: 10 });
  });

  it("retries a failed job", async () => {
    const setting = await setUpDashboard(refuseSecond);
    const { dashboard, runs, work, stored } = setting;
    await runs.add("nov", jobsOf(3), { key: keyOf });
    work(runs);
    expect(await endOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    await eventually(async () => (await dashboard.getFailedCount()) === 1);
    const [failed] = await dashboard.getFailed();
    expect(failed?.failedReason).toMatch(/^bad_request: /);
    setting.answer = answerPdf;
    await failed?.retry("failed");
    await eventually(async () => (await progressOf(runs)).fulfilled === 3);
    expect(await progressOf(runs)).toMatchObject({ total: 3, rejected: 0, leftMs: 0 });
    expect(await runs.failures("nov")).toEqual([]);
    expect(stored.sort()).toEqual(["no-0", "no-1", "no-2"]);
    await eventually(async () => (await dashboard.getFailedCount()) === 0);
  });

  it("retries a job that was interrupted, even if `mayRenderTwice` is false", async () => {
    const setting = await setUpDashboard(() => {});
    const { dashboard, runs, work, service, redis } = setting;
    await runs.add("nov", [{ template: "t", values: { n: 1, shelf: 1 } }]);
    const settings = { url: redis.url, baseUrl: service.baseUrl, out: temporaryFolder() };
    const killed = startWorkerProcess({ ...settings, work: { recoverAfter: 1000 } });
    await service.request();
    killed.child.kill("SIGKILL");
    setting.answer = answerPdf;
    work(runs, { recoverAfter: 1000, retry: { mayRenderTwice: false } });
    expect(await endOf(runs)).toMatchObject({ fulfilled: 0, rejected: 1 });
    await eventually(async () => (await dashboard.getFailedCount()) === 1);
    await (await dashboard.getFailed())[0]?.retry("failed");
    await eventually(async () => (await progressOf(runs)).fulfilled === 1);
    expect(await runs.failures("nov")).toEqual([]);
    expect(service.requests.length).toBe(2);
  });

  it("retries all failed jobs with `retryJobs`", async () => {
    const setting = await setUpDashboard(saying(400));
    const { dashboard, runs, work } = setting;
    await runs.add("nov", jobsOf(10));
    work(runs);
    expect(await endOf(runs)).toMatchObject({ rejected: 10 });
    await eventually(async () => (await dashboard.getFailedCount()) === 10);
    setting.answer = answerPdf;
    await dashboard.retryJobs();
    await eventually(async () => (await progressOf(runs)).fulfilled === 10);
    expect(await progressOf(runs)).toMatchObject({ total: 10, rejected: 0 });
  });

  it("pauses and resumes the queue", async () => {
    const { dashboard, runs, work, service } = await setUpDashboard();
    await runs.add("nov", jobsOf(5));
    await dashboard.pause();
    work(runs);
    await runs.add("dec", jobsOf(5));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(service.requests.length).toBe(0);
    expect(await progressOf(runs)).toMatchObject({ waiting: 5, active: 0, paused: "the queue is paused" });
    await dashboard.resume();
    expect(await endOf(runs)).toMatchObject({ fulfilled: 5, rejected: 0, paused: undefined });
    expect(await endOf(runs, "dec")).toMatchObject({ fulfilled: 5, rejected: 0 });
  });

  it("deletes failed jobs with `clean`, which stay failures of their run", async () => {
    const setting = await setUpDashboard(refuseSecond);
    const { dashboard, runs, work } = setting;
    await runs.add("nov", jobsOf(3), { key: keyOf });
    work(runs);
    await endOf(runs);
    await eventually(async () => (await dashboard.getFailedCount()) === 1);
    expect((await dashboard.clean(0, 100, "failed")).length).toBe(1);
    expect(await runs.failures("nov")).toMatchObject([{ key: "no-1", index: 1, code: "bad_request" }]);
    expect(await progressOf(runs)).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(await runs.retry("nov")).toBe(0);
    setting.answer = answerPdf;
    expect(await runs.add("nov", jobsOf(3), { key: keyOf })).toMatchObject({ added: 1, known: 2 });
    expect(await endOf(runs)).toMatchObject({ total: 3, fulfilled: 3, rejected: 0 });
  });

  it("shows metrics of finished and failed jobs", async () => {
    const { dashboard, runs, work } = await setUpDashboard(refuseSecond);
    await runs.add("nov", jobsOf(3));
    work(runs);
    await endOf(runs);
    const countOf = async (kind: "completed" | "failed") => (await dashboard.getMetrics(kind)).meta.count;
    await eventually(async () => (await countOf("completed")) === 2 && (await countOf("failed")) === 1);
  });
});

it("a worker completes 300 jobs among which are a foreign one and one without data, and names those", async () => {
  const { dashboard, runs, work, admin } = await setUpDashboard();
  await runs.add("nov", jobsOf(300));
  const [lost] = await dashboard.getJobs(["prioritized"], 100, 100);
  await admin.del(`bull:tests:${lost?.id}`);
  await dashboard.add("their-job", { hello: "world" }, { jobId: "theirs", lifo: true });
  const errors: string[] = [];
  const workers = [1, 2].map(() => work(runs, { onError: ({ message }) => void errors.push(message) }));
  expect(await endOf(runs)).toMatchObject({ total: 300, fulfilled: 299, rejected: 1 });
  await eventually(() => errors.length === 2);
  expect(errors.sort()).toEqual([
    expect.stringMatching(new RegExp(`^Job "${lost?.id}" .*cannot be read: `)),
    'Job "theirs" was not added by template-pdf. Use another queue name for jobs of other programs.',
  ]);
  expect(await runs.failures("nov")).toMatchObject([{ id: lost?.id, message: errors[0] }]);
  expect((await dashboard.getJob("theirs"))?.failedReason).toContain("was not added by template-pdf");
  const ends = await Promise.all(workers.map((worker) => worker.close()));
  expect(ends.reduce((sum, { fulfilled }) => sum + fulfilled, 0)).toBe(299);
});
