import { join } from "node:path";
import type { TemplatePdf } from "template-pdf";
import { type BulkProgress, folder, RunStoppedError, runBulk } from "template-pdf/bulk";
import { expect, it, onTestFinished } from "vitest";
import { Service, saying, withLength } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { byNumber, jobsOf, numberOf, small } from "./many.ts";

async function setUp(answer = withLength(small)) {
  const service = await Service.start(answer);
  const { path: at, remove } = makeTemporaryFolder("bulk");
  onTestFinished(remove);
  const client = service.client() as TemplatePdf;
  const sink = folder("out/{{n}}.pdf", { root: at });
  return { at, service, parts: { client, jobs: jobsOf(3), sink, journal: join(at, "run.journal") } };
}

it("a run tells before its first job how many earlier runs have finished", async () => {
  const { parts } = await setUp();
  const told: number[] = [];
  const onBegin = ({ finishedBefore, damagedLines }: BulkProgress) => told.push(finishedBefore, damagedLines);
  await runBulk({ ...parts, jobs: jobsOf(2), onBegin });
  const sink = folder("out/{{n}}.pdf", { root: join(parts.journal, "..") });
  await runBulk({ ...parts, sink, onBegin });
  expect(told).toEqual([0, 0, 2, 0]);
});

it("a run tells how many documents are in hand, at which pace, and for how long it pauses", async () => {
  let progress: BulkProgress | undefined;
  const told: unknown[] = [];
  const tell = () => told.push([progress?.stored, progress?.inHand, progress?.perSecond]);
  const ending = new AbortController();
  const { parts, service } = await setUp(async (received) => {
    if (numberOf(received) === 0) {
      await service.request(1);
      return void saying(429, "", { "retry-after": "60" })(received);
    }
    while (progress?.pauseMs === 0) await new Promise((resolve) => setImmediate(resolve));
    tell();
    expect(progress?.pauseMs).toBeGreaterThan(50_000);
    ending.abort(new Error("enough"));
  });
  const run = runBulk({
    ...parts,
    concurrency: 2,
    retry: { limit: 1 },
    perSecond: 500,
    signal: ending.signal,
    onBegin: (given) => {
      progress = given;
      tell();
    },
  });
  await expect(run).rejects.toThrow("enough");
  tell();
  expect(told).toEqual([
    [0, 0, 500],
    [0, 2, 500],
    [0, 0, 500],
  ]);
});

it("a run that was stopped says why in a few words", async () => {
  const { parts } = await setUp(byNumber({ 0: saying(400) }));
  const error = await runBulk({ ...parts, stopAfter: 1, concurrency: 1 }).catch((thrown: unknown) => thrown);
  expect(RunStoppedError.is(error) && error.why).toBe("`stopAfter: 1` was reached");
});
