import { type ErrorFacts, type Is, TemplatePdfError } from "../errors/errors.ts";
import type { BulkSummary } from "./bulk-options.ts";

/** How far a run came. */
interface RunFacts extends ErrorFacts {
  readonly why: string;
  readonly fulfilled: number;
  readonly rejected: number;
}

/**
 * A run ended before its jobs did: by `stopAfter` or `drain`, or because going on was of no use. What was in flight has come to its
 * end, and its results were given. Where one job's failure was the reason, it is the `cause`.
 */
export class RunStoppedError extends TemplatePdfError {
  declare static readonly is: Is<RunStoppedError>;
  override readonly code = "run_stopped";
  override get name(): string {
    return "RunStoppedError";
  }

  /** What ended it, as in `"the disk is full"`. */
  declare readonly why: string;
  /** How many jobs were fulfilled until then. */
  declare readonly fulfilled: number;
  /** How many jobs were rejected until then. */
  declare readonly rejected: number;
  /** What became of the jobs; of a `runBulk` only. */
  declare readonly summary?: BulkSummary;

  constructor(message: string, facts: RunFacts) {
    super(message, facts);
  }
}
