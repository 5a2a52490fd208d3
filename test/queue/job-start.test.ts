import { describe, expect, it } from "vitest";
import { JobStart } from "../../src/queue/job-start.ts";

/** A job that BullMQ has recovered from dead workers this often. Its id says that nothing else is read. */
const startOf = (stalledCounter: unknown, progress: unknown) =>
  JobStart.of({ id: "foreign", name: "nov", stalledCounter, progress } as never, {} as never);

const stopped = /^A worker stopped while generating this document, .* `retry.mayRenderTwice` is false\.$/;

describe("a job whose workers died", () => {
  it.each<[stalls: unknown, progress: unknown, once: RegExp | undefined, again: RegExp | undefined]>([
    [0, 0, undefined, undefined],
    [1, 0, stopped, undefined],
    [9, 0, stopped, undefined],
    [10, 0, stopped, /^10 workers stopped while generating this document\.$/],
    [1, { stalls: 1 }, undefined, undefined],
    [2, { stalls: 1 }, stopped, undefined],
    [11, { stalls: 1 }, stopped, /^10 workers stopped/],
    // The record in Redis was changed.
    [1, { stalls: "x" }, stopped, undefined],
    [1, null, stopped, undefined],
    [Number.NaN, {}, undefined, undefined],
    [undefined, {}, undefined, undefined],
    [0, { stalls: -5 }, stopped, undefined],
  ])(
    "(%o deaths, progress %o) is rejected as its `mayRenderTwice` says",
    async (stalls, progress, once, again) => {
      const start = await startOf(stalls, progress);
      expect(start.interruption(false)?.message ?? "").toMatch(once ?? /^$/);
      expect(start.interruption(true)?.message ?? "").toMatch(again ?? /^$/);
    },
  );
});
