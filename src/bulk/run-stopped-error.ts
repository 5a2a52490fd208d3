import { type ErrorFacts, type Is, TemplatePdfError } from "../errors/errors.ts";
import type { BulkSummary } from "./bulk-options.ts";

/** The state of a stopped run. */
interface RunFacts extends ErrorFacts {
  readonly why: string;
  readonly fulfilled: number;
  readonly rejected: number;
}

/**
 * A run stopped before its last job, because of `stopAfter` or `drain`, or because all further jobs would
 * fail. The jobs in flight have completed, and their results have been delivered. If a failed job caused the
 * stop, the `cause` is the error from that job.
 */
export class RunStoppedError extends TemplatePdfError {
  declare static readonly is: Is<RunStoppedError>;
  override readonly code = "run_stopped";
  override get name(): string {
    return "RunStoppedError";
  }

  /** Why the run stopped, for example `"the disk is full"`. */
  declare readonly why: string;
  /** The number of fulfilled jobs. */
  declare readonly fulfilled: number;
  /** The number of rejected jobs. */
  declare readonly rejected: number;
  /** The summary of the run. Only set by `runBulk`. */
  declare readonly summary?: BulkSummary;

  constructor(message: string, facts: RunFacts) {
    super(message, facts);
  }
}
