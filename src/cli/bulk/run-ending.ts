import { JournalError, RunStoppedError } from "../../bulk/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { Failure, Halted, Misuse, QuietEnd } from "../failure.ts";
import { formatCount } from "../output.ts";
import { inWordsOfTerminal, lineOf } from "../report.ts";
import type { SystematicFailure } from "./systematic-failures.ts";

/** How a run came to its end. */
export interface RunEnd {
  readonly made: number;
  readonly failed: number;
  /** Rows that nothing has become of. */
  readonly left: number;
  /** What the run was rejected with. */
  readonly failure: unknown;
  /** Why the report could not be written. */
  readonly reportFailure: unknown;
  /** Why the command has stopped it. */
  readonly systematicFailure: SystematicFailure | undefined;
  /** The reason of the first Ctrl-C. */
  readonly easeReason: unknown;
  readonly stopAfter: number;
}

/** Gives what a command ends with after its run; nothing where all is well. */
export function endingOf(end: RunEnd): unknown {
  const { made, failed, left, failure, reportFailure, systematicFailure } = end;
  if (systematicFailure && (made === 0 || left > 0))
    return new Halted(systematicFailureText(systematicFailure, made));
  if (RunStoppedError.is(failure)) return end.easeReason ?? new Halted(stoppedText(failure, end));
  if (reportFailure !== undefined && left === 0 && (failure === undefined || failure === reportFailure)) {
    const text = `Every row was gone through, and there is no report of it: ${lineOf(reportFailure)} Mend that, and run the same command again.`;
    return new Failure(text, { cause: reportFailure });
  }
  const other = failure ?? reportFailure;
  if (other !== undefined) return new Halted(lineOf(other), { cause: other });
  return failed > 0 ? new QuietEnd(exitCodes.failed) : undefined;
}

/** Gives what a command ends with whose run could not begin: nothing was sent. */
export function startFailureOf(error: unknown): unknown {
  if (JournalError.is(error)) return new Misuse(inWordsOfTerminal(error.message), { cause: error });
  return error instanceof Failure ? new Misuse(error.message, { cause: error }) : error;
}

function systematicFailureText({ withWhat, failureCount }: SystematicFailure, made: number): string {
  const when = failureCount === 1 ? "at the first failure" : `after ${failureCount} failures`;
  return made === 0
    ? `Stopped ${when}: ${withWhat}, no row would fare better.`
    : `Stopped ${when}, before the end: ${withWhat}, no row seemed to fare better, and then some did.`;
}

function stoppedText({ why }: RunStoppedError, { stopAfter, failed }: RunEnd): string {
  const told = stopAfter <= failed ? `${formatCount(stopAfter)} failed, as many as --stop-after allows` : why;
  return `Stopped before the end: ${told}.`;
}
