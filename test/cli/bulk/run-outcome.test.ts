import { expect, it } from "vitest";
import { RunStoppedError } from "../../../src/bulk/index.ts";
import { endingOf, type RunOutcome, startFailureOf } from "../../../src/cli/bulk/run-outcome.ts";
import { Failure, Halted, Misuse, QuietEnd, Stopped } from "../../../src/cli/failure.ts";

const good = { made: 9, madeBefore: 0, failed: 0, left: 0, invalid: 0, durationMs: 1, failures: [] };
const systematicFailure = { withWhat: "with this key", fix: "Fix it" };
const failure = new RunStoppedError("…", { why: "the disk is full", fulfilled: 9, rejected: 1 });
const reportFailure = new Failure("Could not write r.csv: the disk is full.");
const ctrlC = new Stopped(130);
const noReport = `All rows were processed, but the report was not written: ${reportFailure.message} Fix that, then run the same command again.`;
const whyStopped = "Stopped early: the disk is full.";
const noOtherRow = "with this key, no other row would succeed.";
const fiveFailed = "Stopped after 5 failures:";
const fivefold = { failed: 5, left: 4, failure, systematicFailure };

type End = Partial<RunOutcome> & { stopAfter?: number };

it.each<[title: string, kind: unknown, message: string, end: End]>([
  ["quietly with exit code 1 if rows failed", QuietEnd, "ended with 1", { failed: 1 }],
  ["with the reason why it stopped", Halted, whyStopped, { left: 1, failure }],
  [
    "with the limit of --stop-after",
    Halted,
    "Stopped early: 2 failed, reaching the --stop-after limit.",
    { failed: 2, left: 1, stopAfter: 2, failure },
  ],
  ["with the code of Ctrl-C", Stopped, "ended with 130", { left: 1, failure, easeReason: ctrlC }],
  ["with systematic failures", Halted, `${fiveFailed} ${noOtherRow}`, { ...fivefold, made: 0 }],
  [
    "with a systematic failure of the first row",
    Halted,
    `Stopped at the first failure: ${noOtherRow}`,
    { made: 0, failed: 1, left: 8, systematicFailure },
  ],
  [
    "with systematic failures although later rows succeeded",
    Halted,
    `${fiveFailed} with this key. Later rows had already succeeded.`,
    fivefold,
  ],
  [
    "quietly if all rows after systematic failures succeeded",
    QuietEnd,
    "ended with 1",
    { failed: 5, systematicFailure },
  ],
  ["with the failure of its report if rows failed too", Failure, noReport, { failed: 2, reportFailure }],
  ["with the failure of its last row's report", Failure, noReport, { failure: reportFailure, reportFailure }],
  [
    "early if its report can no longer be written",
    Halted,
    reportFailure.message,
    { left: 3, failure: reportFailure, reportFailure },
  ],
  [
    "with the reason why it stopped even if its report failed",
    Halted,
    whyStopped,
    { left: 1, failure, reportFailure },
  ],
])("a bulk run ends %s", (_title, kind, message, { stopAfter = Number.POSITIVE_INFINITY, ...end }) => {
  const ending = endingOf({ ...good, ...end } as RunOutcome, stopAfter) as Error;
  expect([ending.constructor, ending.message]).toEqual([kind, message]);
});

it("a bulk run ends without an error if everything succeeded", () => {
  expect(endingOf(good as unknown as RunOutcome, 1)).toBeUndefined();
});

it("a bulk run that cannot start ends with a Misuse if its report caused the failure", () => {
  expect(startFailureOf(reportFailure)).toBeInstanceOf(Misuse);
  expect(startFailureOf(reportFailure)).toMatchObject({ message: reportFailure.message });
  expect(startFailureOf(ctrlC)).toBe(ctrlC);
});
