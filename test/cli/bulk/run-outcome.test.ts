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
const systematicFailure = { withWhat: "with this key", fix: "Mend it" };
const stopped = new RunStoppedError("…", { why: "the disk is full", fulfilled: 9, rejected: 1 });
const reportFailure = new Failure("Could not write r.csv: the disk is full.");
const ctrlC = new Stopped(130);
const diskFull = "Could not write r.csv: the disk is full.";
const noReport = `All rows were processed, but the report was not written: ${diskFull} Fix that, then run the same command again.`;
const whyStopped = "Stopped early: the disk is full.";
const hopeless = "with this key, no other row would succeed.";

type End = Partial<RunOutcome> & { stopAfter?: number };

describe("a bulk run ends", () => {
  it.each<[title: string, kind: unknown, message: string, end: End]>([
    ["quietly, with 1, where some failed", QuietEnd, "ended with 1", { failed: 1 }],
    ["with why it stopped", Halted, whyStopped, { left: 1, failure: stopped }],
    [
      "with --stop-after",
      Halted,
      "Stopped early: 2 failed, the limit of --stop-after.",
      { failed: 2, left: 1, stopAfter: 2, failure: stopped },
    ],
    ["as Ctrl-C says", Stopped, "ended with 130", { left: 1, failure: stopped, easeReason: ctrlC }],
    [
      "without hope",
      Halted,
      `Stopped after 5 failures: ${hopeless}`,
      { made: 0, failed: 5, left: 4, failure: stopped, systematicFailure },
    ],
    [
      "without hope at once",
      Halted,
      `Stopped at the first failure: ${hopeless}`,
      { made: 0, failed: 1, left: 8, systematicFailure },
    ],
    [
      "without hope, until some came through",
      Halted,
      "Stopped after 5 failures: with this key, although later rows succeeded.",
      { failed: 5, left: 4, failure: stopped, systematicFailure },
    ],
    ["as any other if all others came through", QuietEnd, "ended with 1", { failed: 5, systematicFailure }],
    ["with what broke it", Halted, "broken.", { left: 1, failure: new Error("broken.") }],
    ["with its report missing", Failure, noReport, { reportFailure }],
    ["with its report missing, and some failed", Failure, noReport, { failed: 2, reportFailure }],
    ["without its report since the last row", Failure, noReport, { failure: reportFailure, reportFailure }],
    [
      "amid its rows where no report can be written",
      Halted,
      diskFull,
      { left: 3, failure: reportFailure, reportFailure },
    ],
    ["with why it stopped, report or not", Halted, whyStopped, { left: 1, failure: stopped, reportFailure }],
  ])("%s", (_title, kind, message, { stopAfter = Number.POSITIVE_INFINITY, ...end }) => {
    const ending = endingOf({ ...good, ...end } as RunOutcome, stopAfter) as Error;
    expect([ending.constructor, ending.message]).toEqual([kind, message]);
  });

  it("with nothing to say where all is well", () => {
    expect(endingOf(good as RunOutcome, 1)).toBeUndefined();
  });
});

describe("a run that could not begin", () => {
  it("was misused, whatever the disk says of the report", async () => {
    const failure = startFailureOf(reportFailure);
    expect([failure, await exitCodeOf(failure)]).toMatchObject([{ message: reportFailure.message }, 2]);
    expect(failure).toBeInstanceOf(Misuse);
    expect(startFailureOf(ctrlC)).toBe(ctrlC);
  });
});
