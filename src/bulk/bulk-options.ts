import { ConfigurationError, type TemplatePdf } from "../index.ts";
import { checkOptions, isBoolean, isFunction, isObject, isText, type Rule } from "../options/option-rules.ts";
import { resolveRetry } from "../options/retry.ts";
import type { FailureGroup } from "./failure-groups.ts";
import type { Fitting, Fulfilled, Jobs, Rejected } from "./job.ts";
import { checkClient, type RunOptions, runRules } from "./run-options.ts";
import type { BulkOutage } from "./service-watch.ts";
import type { Sink } from "./sink.ts";

/** A job that an earlier run has finished. */
export interface Skipped<J> {
  /** Tells the results apart. */
  readonly status: "skipped";
  /** The job itself, with all its members. */
  readonly job: J;
  /** The job's place among the jobs, from 0. */
  readonly index: number;
  /** None. */
  readonly value?: undefined;
  /** None. */
  readonly error?: undefined;
}

/** What became of one job of a run with a journal; the `value` is what the sink's `put` gave. */
export type BulkResult<J> = (Fulfilled<J, unknown> | Rejected<J> | Skipped<J>) & {
  /** The job's key, where it has one. */
  readonly key: string | undefined;
};

/** How a run stands: a view that goes with it. */
export interface BulkProgress {
  /** Jobs that earlier runs finished, whether or not they are among the jobs of this one. */
  readonly finishedBefore: number;
  /** Lines of the journal that could not be read; their jobs are done again. */
  readonly damagedLines: number;
  /** How many documents this run has stored, also those that are not recorded yet. */
  readonly stored: number;
  /** How many documents are in hand now. */
  readonly inHand: number;
  /** How many requests a second the run allows itself now; `Infinity` while it knows of no limit. */
  readonly perSecond: number;
  /** How long nothing is sent any more because the service asked for that, in milliseconds; 0 where it has not. */
  readonly pauseMs: number;
  /** How long the service has been unavailable, in milliseconds; 0 if it is not. Nothing but single requests is sent meanwhile. */
  readonly outageMs: number;
  /** How long until the next request may be sent, in a pause or an outage, in milliseconds; else 0. */
  readonly nextRequestMs: number;
}

/** What became of the jobs of a run. */
export interface BulkSummary {
  /** Jobs whose documents were stored and recorded by this run. */
  readonly fulfilled: number;
  /** Jobs that earlier runs had finished, and that were passed over. */
  readonly skipped: number;
  /** Jobs that failed; the next run tries them again. */
  readonly rejected: number;
  /** Jobs among the rejected ones whose values do not fit their template; nothing was sent for them. */
  readonly invalid: number;
  /** Jobs among the fulfilled and rejected ones whose input had changed since an earlier run finished them. */
  readonly changed: number;
  /**
   * Jobs that earlier runs finished and that were not among the jobs of this one: their documents are where they were. `undefined` of a
   * run that has not seen all of its jobs.
   */
  readonly missing: number | undefined;
  /** What went wrong, sorted by its kind, the most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** How long the run took, in milliseconds. */
  readonly durationMs: number;
}

/** The options of `runBulk`. */
export interface RunBulkOptions<T, J> extends RunOptions {
  /** Asks the service. Its own retries are off, as in `generateMany`. */
  client: TemplatePdf<T & { [K in keyof T]: object }>;
  /** An array, a generator, a cursor … of `{ template, values }`, with members of your own if you like. */
  jobs: Jobs<J & Fitting<J>>;
  /**
   * What identifies a job, in this run and in those that go on with it, such as the number of an invoice. No two jobs may have the same.
   * Default: what the sink says, which for a `folder` is the path.
   */
  key?: ((job: NoInfer<J>) => string | number) | undefined;
  /** Stores the documents: a `folder`, or anything with a `put`. */
  sink: Sink<NoInfer<J>>;
  /** The path of the journal. It holds no values: keys and inputs are recorded as salted hashes. Its folder is made if it is missing. */
  journal: string;
  /** Whether to start over: an existing journal is put aside as `<journal>.old`. Default: `false`. */
  fresh?: boolean | undefined;
  /**
   * How long the service may be unavailable before the run ends with a `RunStoppedError`, in milliseconds; may be 0 or `Infinity`.
   * Until then the run waits, looks at growing intervals whether the service is back, and goes on by itself. Default: 900,000.
   */
  giveUpAfter?: number | undefined;
  /** What run this is, such as `"payslips of November"`: a journal that was begun for another is refused. Default: none. */
  name?: string | undefined;
  /** Called once, when the journal was opened and before the first job. What it throws ends the run. */
  onBegin?: ((progress: BulkProgress) => void) | undefined;
  /**
   * Hears what became of every job: of a fulfilled one when it is recorded. What it throws, or rejects with, ends the run, which waits
   * for it before it ends, and not before it goes on.
   */
  onResult?: ((result: BulkResult<NoInfer<J>>) => void) | undefined;
  /** Called when the service becomes unavailable, and when it answers again. What it throws, or rejects with, ends the run. */
  onOutage?: ((outage: BulkOutage) => void) | undefined;
}

/** The default of `giveUpAfter`, in milliseconds. */
export const defaultGiveUpAfterMs = 900_000;

/** What `giveUpAfter` must be. */
export const isGiveUpAfter: Rule = {
  words: "a number of milliseconds, 0 or more, or Infinity",
  test: (value) => typeof value === "number" && value >= 0,
};

/** Throws a {@link ConfigurationError} for the first option of `runBulk` that is wrong. */
export function checkBulkOptions<T, J>(options: RunBulkOptions<T, J>): void {
  const rules = { client: undefined, jobs: undefined, key: isFunction, sink: isObject, journal: isText };
  const callbacks = { onBegin: isFunction, onResult: isFunction, onOutage: isFunction };
  checkOptions(
    options,
    { ...runRules, ...rules, fresh: isBoolean, giveUpAfter: isGiveUpAfter, name: isText, ...callbacks },
    "run",
  );
  checkClient(options.client);
  resolveRetry(options.retry);
  const { sink, journal, key } = options;
  if (typeof sink?.put !== "function") {
    throw new ConfigurationError(
      'A run needs a `sink`: give it folder("out/{{name}}.pdf"), or an object with `put`.',
    );
  }
  if (journal === undefined) {
    throw new ConfigurationError(
      'A run needs a `journal`: give it the path of a file, such as "out/run.journal".',
    );
  }
  if (key === undefined && sink.keyOf === undefined) {
    throw new ConfigurationError("A run needs a `key`: give it a function from a job to what identifies it.");
  }
}
