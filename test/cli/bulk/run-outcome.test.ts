import { describe, expect, it } from "vitest";
import { RunStoppedError } from "../../../src/bulk/index.ts";
import { endingOf, type RunOutcome, startFailureOf } from "../../../src/cli/bulk/run-outcome.ts";
import { exitCodeOf } from "../../../src/cli/exit-codes.ts";
import { Failure, Halted, Misuse, QuietEnd, Stopped } from "../../../src/cli/failure.ts";

const good: RunOutcome = {
  made: 9,
  madeBefore: 0,
  failed: 0,
  left: 0,
  invalid: 0,
  failure: undefined,
  reportFailure: undefined,
  systematicFailure: undefined,
  easeReason: undefined,
  changed: undefined,
  missing: undefined,
  durationMs: 1,
  failures: [],
};
const systematicFailure = { withWhat: "with this key", fix: "Mend it" };
const stopped = new RunStoppedError("…", { why: "the disk is full", fulfilled: 9, rejected: 1 });
const reportFailure = new Failure("Could not write r.csv: the disk is full.");
const ctrlC = new Stopped(130);
const noReport =
  "Every row was gone through, and there is no report of it: Could not write r.csv: the disk is full. Mend that, and run the same command again.";

describe("a bulk run ends", () => {
  it.each<[title: string, end: Partial<RunOutcome> & { stopAfter?: number }, kind: unknown, message: string]>(
    [
      ["quietly, with 1, where some failed", { failed: 1 }, QuietEnd, "ended with 1"],
      [
        "with why it stopped",
        { left: 1, failure: stopped },
        Halted,
        "Stopped before the end: the disk is full.",
      ],
      [
        "with --stop-after",
        { failed: 2, left: 1, stopAfter: 2, failure: stopped },
        Halted,
        "Stopped before the end: 2 failed, as many as --stop-after allows.",
      ],
      ["as Ctrl-C says", { left: 1, failure: stopped, easeReason: ctrlC }, Stopped, "ended with 130"],
      [
        "without hope",
        { made: 0, failed: 5, left: 4, failure: stopped, systematicFailure },
        Halted,
        "Stopped after 5 failures: with this key, no row would fare better.",
      ],
      [
        "without hope at once",
        { made: 0, failed: 1, left: 8, systematicFailure },
        Halted,
        "Stopped at the first failure: with this key, no row would fare better.",
      ],
      [
        "without hope, until some came through",
        { failed: 5, left: 4, failure: stopped, systematicFailure },
        Halted,
        "Stopped after 5 failures, before the end: with this key, no row seemed to fare better, and then some did.",
      ],
      [
        "as any other, where all the others came through",
        { failed: 5, systematicFailure },
        QuietEnd,
        "ended with 1",
      ],
      ["with what broke it", { left: 1, failure: new Error("broken.") }, Halted, "broken."],
      ["with its report missing", { reportFailure }, Failure, noReport],
      ["with its report missing, and some failed", { failed: 2, reportFailure }, Failure, noReport],
      [
        "with its report missing since the last row",
        { failure: reportFailure, reportFailure },
        Failure,
        noReport,
      ],
      [
        "amid its rows where no report can be written",
        { left: 3, failure: reportFailure, reportFailure },
        Halted,
        "Could not write r.csv: the disk is full.",
      ],
      [
        "with why it stopped, whatever the report",
        { left: 1, failure: stopped, reportFailure },
        Halted,
        "Stopped before the end: the disk is full.",
      ],
    ],
  )("%s", (_title, { stopAfter = Number.POSITIVE_INFINITY, ...outcome }, kind, message) => {
    const ending = endingOf({ ...good, ...outcome }, stopAfter) as Error;
    expect([ending.constructor, ending.message]).toEqual([kind, message]);
  });

  it("with nothing to say where all is well", () => {
    expect(endingOf(good, 1)).toBeUndefined();
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
