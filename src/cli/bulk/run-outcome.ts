import { type FailureGroup, JournalError, RunStoppedError } from "../../bulk/index.ts";
import type { SystematicFailure } from "../../bulk/systematic-failures.ts";
import { isInstance } from "../../errors/foreign-values.ts";
import { formatTimeSpan } from "../duration.ts";
import { exitCodes } from "../exit-codes.ts";
import { Failure, Halted, Misuse, QuietEnd } from "../failure.ts";
import { countOf, formatCount } from "../output.ts";
import { inWordsOfTerminal, lineOf } from "../report.ts";
import { type Data, unitOf } from "./data/row.ts";
import type { BulkPlan } from "./plan.ts";
import { formatRate } from "./progress-text.ts";

/** The outcome of a run. */
export interface RunOutcome {
  readonly made: number;
  readonly madeBefore: number;
  readonly failed: number;
  /** The number of rows that were not reached. */
  readonly left: number;
  /** The number of invalid rows, which were skipped. */
  readonly invalid: number;
  /** The number of generated or failed rows that had changed since an earlier run; `undefined` if unknown. */
  readonly changed: number | undefined;
  /** The number of documents from earlier runs that no longer have a row; `undefined` if unknown. */
  readonly missing: number | undefined;
  readonly durationMs: number;
  readonly failures: readonly FailureGroup[];
  /** The error that the run rejected with. */
  readonly failure: unknown;
  /** Why the report could not be written. */
  readonly reportFailure: unknown;
  /** Why the command stopped the run. */
  readonly systematicFailure: SystematicFailure | undefined;
  /** The abort reason of the first Ctrl-C. */
  readonly easeReason: unknown;
  /** A sentence about the outages of the service; `undefined` if there were none. */
  readonly outages: string | undefined;
}

/** Returns the summary of a run: the counts, the paths, the failures with their causes, and what to do next. */
export function closingLines(outcome: RunOutcome, plan: BulkPlan, data: Data): string[] {
  const { made, madeBefore, failed, left, invalid, durationMs, reportFailure } = outcome;
  const report = reportFailure === undefined ? plan.report?.path : undefined;
  const counts = [
    `${countOf(made, "document")} made`,
    ...(madeBefore > 0 ? [`${formatCount(madeBefore)} made earlier`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(left > 0 ? [`${formatCount(left)} left`] : []),
    ...(invalid > 0 ? [`${formatCount(invalid)} invalid`] : []),
  ];
  const rate = made > 0 ? `, ${formatRate((made * 1000) / durationMs)}` : "";
  return [
    `${counts.join(", ")}, in ${formatTimeSpan(durationMs)}${rate}`,
    `folder ${plan.folder}, journal ${plan.journal}${report === undefined ? "" : `, report ${report}`}`,
    ...outcome.failures.map((group) => failureLine(group, data)),
    ...noteLines(outcome),
    ...(failed > 0 || left > 0 || invalid > 0 ? [nextLine(outcome, plan)] : []),
  ];
}

function failureLine({ count, message, indexes }: FailureGroup, { name, format }: Data): string {
  const shown = [...indexes].sort((one, other) => one - other).map(formatCount);
  const more = count > shown.length ? ", …" : "";
  const where = `${name}, ${unitOf(format)}${count === 1 ? "" : "s"} ${shown.join(", ")}${more}`;
  return `${formatCount(count)} failed: ${inWordsOfTerminal(message)} (${where})`;
}

function noteLines({ changed = 0, missing = 0, outages }: RunOutcome): string[] {
  const lines = outages === undefined ? [] : [outages];
  if (changed > 0) {
    const were = changed === 1 ? "was" : "were";
    lines.push(`${countOf(changed, "row")} changed since an earlier run, and ${were} generated again.`);
  }
  if (missing > 0) {
    const stay = missing === 1 ? "no longer has a row, and is kept" : "no longer have a row, and are kept";
    lines.push(`${countOf(missing, "document")} from earlier runs ${stay}.`);
  }
  return lines;
}

/** The codes of failures that are caused by the row itself, so that the same request would fail again. */
const codesOfRows = ["bad_request", "invalid_values"];

function nextLine(outcome: RunOutcome, { isFresh }: BulkPlan): string {
  const { made, failed, left, invalid, failures, systematicFailure } = outcome;
  const how = isFresh ? "without --fresh" : "again";
  // If some rows succeeded, the run can simply continue.
  if (systematicFailure && made === 0) return `${systematicFailure.fix} first, then run the command ${how}.`;
  const isOfRows = left === 0 && failures.every(({ code }) => codesOfRows.includes(code));
  if (isOfRows) {
    const rows = [...(failed > 0 ? ["that failed"] : []), ...(invalid > 0 ? ["that are invalid"] : [])];
    return `Fix the rows ${rows.join(" or ")}, then run the same command ${how}. Finished documents are not requested again.`;
  }
  const what = failed > 0 ? (left > 0 ? "what failed and what is left" : "what failed") : "what is left";
  return `Run the same command ${how} for ${what}. Finished documents are not requested again.`;
}

/** Returns the error with which the command ends after its run, or `undefined` if everything succeeded. */
export function endingOf(outcome: RunOutcome, stopAfter: number): unknown {
  const { made, failed, left, invalid, failure, reportFailure, systematicFailure } = outcome;
  if (systematicFailure && (made === 0 || left > 0)) {
    return new Halted(systematicFailureText(systematicFailure, made, failed));
  }
  if (RunStoppedError.is(failure)) {
    const isEnough = stopAfter <= failed;
    const why = isEnough
      ? `${formatCount(stopAfter)} failed, reaching the --stop-after limit`
      : inWordsOfTerminal(failure.why);
    return outcome.easeReason ?? new Halted(`Stopped early: ${why}.`);
  }
  if (reportFailure !== undefined && left === 0 && (failure === undefined || failure === reportFailure)) {
    const text = `All rows were processed, but the report was not written: ${lineOf(reportFailure)} Fix that, then run the same command again.`;
    return new Failure(text, { cause: reportFailure });
  }
  const other = failure ?? reportFailure;
  if (other !== undefined) return new Halted(lineOf(other), { cause: other });
  return failed + invalid > 0 ? new QuietEnd(exitCodes.failed) : undefined;
}

function systematicFailureText(
  { withWhat, common }: SystematicFailure,
  made: number,
  failed: number,
): string {
  // The count includes rows in flight that failed too.
  const when = failed === 1 ? "at the first failure" : `after ${failed} failures`;
  return made === 0
    ? `Stopped ${when}: ${withWhat}, no other row would succeed${common === undefined ? "" : `: ${common}`}.`
    : `Stopped ${when}: ${withWhat}. Some rows after this one had already succeeded.`;
}

/** Returns the error with which the command ends if its run could not start, and nothing was sent. */
export function startFailureOf(error: unknown): unknown {
  if (JournalError.is(error)) return new Misuse(inWordsOfTerminal(error.message), { cause: error });
  return isInstance(error, Failure) ? new Misuse(error.message, { cause: error }) : error;
}
