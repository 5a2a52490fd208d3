import { expect, it } from "vitest";
import { RunStoppedError } from "../../../src/bulk/index.ts";
import { endingOf, type RunOutcome, startFailureOf } from "../../../src/cli/bulk/run-outcome.ts";
import { Failure, Halted, Misuse, QuietEnd, Stopped } from "../../../src/cli/failure.ts";

const good = { made: 9, madeBefore: 0, failed: 0, left: 0, invalid: 0, durationMs: 1, failures: [] };
const systematicFailure = { withWhat: "with this key", fix: "Fix it" };
const failure = new RunStoppedError("…", { why: "the disk is full", fulfilled: 9, rejected: 1 });
const reportFailure = new Failure("Could not write r.csv: the disk is full.");
const noReport = `All rows were processed, but the report was not written: ${reportFailure.message} Fix that, then run the same command again.`;
const whyStopped = "Stopped early: the disk is full.";
const later = "Stopped after 5 failures: with this key. Some rows after this one had already succeeded.";
const failed = { failed: 5, systematicFailure };
const reportLost = { failure: reportFailure, reportFailure };
const bothFailed = { left: 1, failure, reportFailure };

it.each<
  [
    title: string,
    row: { readonly errorClass: unknown; readonly message: string; readonly outcome: Partial<RunOutcome> },
  ]
>([
  [
    "with a systematic failure even if later rows succeed",
    { errorClass: Halted, message: later, outcome: { ...failed, left: 4, failure } },
  ],
  [
    "without a message if all rows after a systematic failure succeed",
    { errorClass: QuietEnd, message: "ended with 1", outcome: failed },
  ],
  [
    "with the report's error even if rows fail too",
    { errorClass: Failure, message: noReport, outcome: { failed: 2, reportFailure } },
  ],
  [
    "with the report's error if the report fails after the last row",
    { errorClass: Failure, message: noReport, outcome: reportLost },
  ],
  [
    "early if its report cannot be written",
    { errorClass: Halted, message: reportFailure.message, outcome: { ...reportLost, left: 3 } },
  ],
  [
    "with the reason for stopping even if its report fails too",
    { errorClass: Halted, message: whyStopped, outcome: bothFailed },
  ],
])("a bulk run ends %s", (_title, { errorClass, message, outcome }) => {
  const ending = endingOf({ ...good, ...outcome } as RunOutcome, Number.POSITIVE_INFINITY) as Error;
  expect(ending.constructor).toBe(errorClass);
  expect(ending.message).toBe(message);
});

it("a bulk run ends with a Misuse error if its report cannot be opened", () => {
  expect(startFailureOf(reportFailure)).toBeInstanceOf(Misuse);
  expect(startFailureOf(reportFailure)).toMatchObject({ message: reportFailure.message });
  const stopped = new Stopped(130);
  expect(startFailureOf(stopped)).toBe(stopped);
});
