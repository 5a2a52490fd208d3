import { describe, expect, it } from "vitest";
import { RunStoppedError } from "../../../src/bulk/index.ts";
import { endingOf, type RunOutcome, startFailureOf } from "../../../src/cli/bulk/run-outcome.ts";
import { exitCodeOf } from "../../../src/cli/exit-codes.ts";
import { Failure, Halted, Misuse, QuietEnd, Stopped } from "../../../src/cli/failure.ts";

const good: Partial<RunOutcome> = {
  made: 9,
  madeBefore: 0,
  failed: 0,
  left: 0,
  invalid: 0,
  durationMs: 1,
  failures: [],
};
const systematicFailure = { withWhat: "with this key", fix: "Fix it" };
const stopped = new RunStoppedError("…", { why: "the disk is full", fulfilled: 9, rejected: 1 });
const reportFailure = new Failure("Could not write r.csv: the disk is full.");
const ctrlC = new Stopped(130);
const diskFull = "Could not write r.csv: the disk is full.";
const noReport = `All rows were processed, but the report was not written: ${diskFull} Fix that, then run the same command again.`;
const whyStopped = "Stopped early: the disk is full.";
const noOtherRow = "with this key, no other row would succeed.";

type End = Partial<RunOutcome> & { stopAfter?: number };

describe("a bulk run ends", () => {
  it.each<[title: string, kind: unknown, message: string, end: End]>([
    ["quietly with exit code 1 if rows failed", QuietEnd, "ended with 1", { failed: 1 }],
    ["with the reason why it stopped", Halted, whyStopped, { left: 1, failure: stopped }],
    [
      "with the limit of --stop-after",
      Halted,
      "Stopped early: 2 failed, reaching the --stop-after limit.",
      { failed: 2, left: 1, stopAfter: 2, failure: stopped },
    ],
    [
      "with the exit code of Ctrl-C",
      Stopped,
      "ended with 130",
      { left: 1, failure: stopped, easeReason: ctrlC },
    ],
    [
      "with systematic failures",
      Halted,
      `Stopped after 5 failures: ${noOtherRow}`,
      { made: 0, failed: 5, left: 4, failure: stopped, systematicFailure },
    ],
    [
      "with a systematic failure of the first row",
      Halted,
      `Stopped at the first failure: ${noOtherRow}`,
      { made: 0, failed: 1, left: 8, systematicFailure },
    ],
    [
      "with systematic failures although later rows succeeded",
      Halted,
      "Stopped after 5 failures: with this key. Later rows had already succeeded.",
      { failed: 5, left: 4, failure: stopped, systematicFailure },
    ],
    [
      "quietly if all rows after systematic failures succeeded",
      QuietEnd,
      "ended with 1",
      { failed: 5, systematicFailure },
    ],
    ["with an unexpected error", Halted, "broken.", { left: 1, failure: new Error("broken.") }],
    ["with the failure of its report", Failure, noReport, { reportFailure }],
    ["with the failure of its report if rows failed too", Failure, noReport, { failed: 2, reportFailure }],
    [
      "with the failure of its report after the last row",
      Failure,
      noReport,
      { failure: reportFailure, reportFailure },
    ],
    [
      "early if its report can no longer be written",
      Halted,
      diskFull,
      { left: 3, failure: reportFailure, reportFailure },
    ],
    [
      "with the reason why it stopped even if its report failed",
      Halted,
      whyStopped,
      { left: 1, failure: stopped, reportFailure },
    ],
  ])("%s", (_title, kind, message, { stopAfter = Number.POSITIVE_INFINITY, ...end }) => {
    const ending = endingOf({ ...good, ...end } as RunOutcome, stopAfter) as Error;
    expect([ending.constructor, ending.message]).toEqual([kind, message]);
  });

  it("without an error if everything succeeded", () => {
    expect(endingOf(good as RunOutcome, 1)).toBeUndefined();
  });
});

describe("a bulk run that cannot start", () => {
  it("ends with a Misuse even if its report caused the failure", async () => {
    const failure = startFailureOf(reportFailure);
    expect([failure, await exitCodeOf(failure)]).toMatchObject([{ message: reportFailure.message }, 2]);
    expect(failure).toBeInstanceOf(Misuse);
    expect(startFailureOf(ctrlC)).toBe(ctrlC);
  });
});
