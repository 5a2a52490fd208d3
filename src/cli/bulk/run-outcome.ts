import { type FailureGroup, JournalError, RunStoppedError } from "../../bulk/index.ts";
import type { SystematicFailure } from "../../bulk/systematic-failures.ts";
import { formatTimeSpan } from "../duration.ts";
import { exitCodes } from "../exit-codes.ts";
import { Failure, Halted, Misuse, QuietEnd } from "../failure.ts";
import { countOf, formatCount } from "../output.ts";
import { inWordsOfTerminal, lineOf } from "../report.ts";
import { type Data, unitOf } from "./data/row.ts";
import type { BulkPlan } from "./plan.ts";
import { formatRate } from "./progress-text.ts";

/** What has become of the rows of a run, once it is over. */
export interface RunOutcome {
  readonly made: number;
  readonly madeBefore: number;
  readonly failed: number;
  /** Rows that nothing has become of. */
  readonly left: number;
  /** Rows that were wrong, and left out. */
  readonly invalid: number;
  /** Rows among those made or failed that had changed since an earlier run; nothing where that is not known. */
  readonly changed: number | undefined;
  /** Documents of earlier runs whose rows are gone; nothing where that is not known. */
  readonly missing: number | undefined;
  readonly durationMs: number;
  readonly failures: readonly FailureGroup[];
  /** What the run was rejected with. */
  readonly failure: unknown;
  /** Why the report could not be written. */
  readonly reportFailure: unknown;
  /** Why the command has stopped it. */
  readonly systematicFailure: SystematicFailure | undefined;
  /** The reason of the first Ctrl-C. */
  readonly easeReason: unknown;
}

/** Says in the end how a run went, where everything is, what failed and why, and what to do next. */
export function closingLines(outcome: RunOutcome, plan: BulkPlan, data: Data): string[] {
  const { made, madeBefore, failed, left, invalid, durationMs, reportFailure } = outcome;
  const report = reportFailure === undefined ? plan.report?.path : undefined;
  const counts = [
    `${countOf(made, "document")} made`,
    ...(madeBefore > 0 ? [`${formatCount(madeBefore)} made before`] : []),
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

function noteLines({ changed = 0, missing = 0 }: RunOutcome): string[] {
  const lines: string[] = [];
  if (changed > 0) {
    const were = changed === 1 ? "was" : "were";
    lines.push(`${countOf(changed, "row")} changed since an earlier run, and ${were} generated again.`);
  }
  if (missing > 0) {
    const stay =
      missing === 1
        ? "no longer has a row, and stays where it is"
        : "no longer have a row, and stay where they are";
    lines.push(`${countOf(missing, "document")} of earlier runs ${stay}.`);
  }
  return lines;
}

/** What a failure has to do with its own row: the same request fails again. */
const codesOfRows = ["bad_request", "invalid_values"];

function nextLine(outcome: RunOutcome, { isFresh }: BulkPlan): string {
  const { made, failed, left, invalid, failures, systematicFailure } = outcome;
  const how = isFresh ? "without --fresh" : "again";
  // Where some rows did fare better, the run may just go on.
  if (systematicFailure && made === 0) return `${systematicFailure.fix} first, then run the command ${how}.`;
  const isOfRows = left === 0 && failures.every(({ code }) => codesOfRows.includes(code));
  if (isOfRows) {
    const rows = [...(failed > 0 ? ["that failed"] : []), ...(invalid > 0 ? ["that are invalid"] : [])];
    return `Fix the rows ${rows.join(" or ")}, then run the same command ${how}. Finished documents are not requested again.`;
  }
  const what = failed > 0 ? (left > 0 ? "what failed and what is left" : "what failed") : "what is left";
  return `Run the same command ${how} for ${what}. Finished documents are not requested again.`;
}

/** Gives what a command ends with after its run; nothing where all is well. */
export function endingOf(outcome: RunOutcome, stopAfter: number): unknown {
  const { made, failed, left, invalid, failure, reportFailure, systematicFailure } = outcome;
  if (systematicFailure && (made === 0 || left > 0)) {
    return new Halted(systematicFailureText(systematicFailure, made, failed));
  }
  if (RunStoppedError.is(failure)) {
    const isEnough = stopAfter <= failed;
    const why = isEnough
      ? `${formatCount(stopAfter)} failed, the limit of --stop-after`
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
  // Those in flight may have failed as well.
  const when = failed === 1 ? "at the first failure" : `after ${failed} failures`;
  return made === 0
    ? `Stopped ${when}: ${withWhat}, no other row would succeed${common === undefined ? "" : `: ${common}`}.`
    : `Stopped ${when}: ${withWhat}, although later rows succeeded.`;
}

/** Gives what a command ends with whose run could not begin: nothing was sent. */
export function startFailureOf(error: unknown): unknown {
  if (JournalError.is(error)) return new Misuse(inWordsOfTerminal(error.message), { cause: error });
  return error instanceof Failure ? new Misuse(error.message, { cause: error }) : error;
}
