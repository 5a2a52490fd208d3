import { ConfigurationError, type TemplatePdf } from "../index.ts";
import { checkOptions, isBoolean, isFunction, isObject, isText, type Rule } from "../options/option-rules.ts";
import type { FailureGroup } from "./failure-groups.ts";
import type { Fitting, Fulfilled, Jobs, Rejected } from "./job.ts";
import { checkClient, type RunOptions, runRules } from "./run-options.ts";
import type { BulkOutage } from "./service-watch.ts";
import { readSink, type Sink } from "./sink.ts";

/** A job that an earlier run finished. */
export interface Skipped<J> {
  /** The kind of result. */
  readonly status: "skipped";
  /** The job that you passed. */
  readonly job: J;
  /** The index of the job, starting at 0. */
  readonly index: number;
  /** Not set. */
  readonly value?: undefined;
  /** Not set. */
  readonly error?: undefined;
}

/** The result of one `runBulk` job. `value` is what the sink's `put` method returned. */
export type BulkResult<J> = (Fulfilled<J, unknown> | Rejected<J> | Skipped<J>) & {
  /** The key of the job, if it has one. */
  readonly key: string | undefined;
};

/** The progress of a run. The properties change while the run is in progress. */
export interface BulkProgress {
  /** The number of jobs that earlier runs finished, including jobs that this run does not contain. */
  readonly finishedBefore: number;
  /** The number of damaged lines in the journal. The jobs on those lines run again. */
  readonly damagedLines: number;
  /** The number of documents that this run has stored, including those not yet recorded in the journal. */
  readonly stored: number;
  /** The number of jobs in flight. */
  readonly inHand: number;
  /** The current limit in requests per second; `Infinity` if no limit is known. */
  readonly perSecond: number;
  /** The remaining pause requested by `Retry-After`, in milliseconds; 0 if there is none. */
  readonly pauseMs: number;
  /**
   * The duration of the current service outage in milliseconds; 0 if there is none. During an outage, the run sends one request
   * at a time.
   */
  readonly outageMs: number;
  /** During a pause or an outage, the time until the next request in milliseconds; otherwise 0. */
  readonly nextRequestMs: number;
}

/** The summary of a run. */
export interface BulkSummary {
  /** The number of jobs whose documents this run stored and recorded. */
  readonly fulfilled: number;
  /** The number of jobs that were skipped because an earlier run had already finished them. */
  readonly skipped: number;
  /** The number of jobs that failed. The next run retries them. */
  readonly rejected: number;
  /** The number of rejected jobs with invalid values. No request was sent for them. */
  readonly invalid: number;
  /**
   * The number of jobs that ran again, even though an earlier run had finished them, because their template
   * or values have changed.
   */
  readonly changed: number;
  /**
   * The number of jobs that earlier runs finished but that this run does not contain. Their documents are
   * kept. `undefined` if the run stopped before its last job.
   */
  readonly missing: number | undefined;
  /** The failures grouped by kind, most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** The duration of the run in milliseconds. */
  readonly durationMs: number;
}

/** Options for `runBulk`. */
export interface RunBulkOptions<T, J> extends RunOptions {
  /** The client that sends the requests. Its own retries are disabled, as in `generateMany`. */
  client: TemplatePdf<T & { [K in keyof T]: object }>;
  /** The jobs: any iterable of `{ template, values }`. Jobs may have additional properties. */
  jobs: Jobs<J & Fitting<J>>;
  /**
   * Returns a unique ID for a job, for example an invoice number. The ID identifies the job in later runs.
   * Default: the key that the sink's `keyOf` returns. For a `folder`, this key is the path of the document
   * inside the folder.
   */
  key?: ((job: NoInfer<J>) => string | number) | undefined;
  /** Stores the documents: a `folder`, or an object with `put`. */
  sink: Sink<NoInfer<J>>;
  /**
   * The path of the journal file. The journal contains no values, only salted hashes of keys and inputs. If
   * the journal's folder does not exist, the run creates it.
   */
  journal: string;
  /** Whether to start over. An existing journal is renamed to `<journal>.old`. Default: `false`. */
  fresh?: boolean | undefined;
  /**
   * The maximum duration of a service outage in milliseconds: 0 or more, or `Infinity`. During an outage, the
   * run sends one request at a time, at increasing intervals, and resumes when the service is available
   * again. If the outage lasts longer than this maximum, the run stops with a `RunStoppedError`. Default:
   * 900,000.
   */
  giveUpAfter?: number | undefined;
  /**
   * The name of the run, for example `"November payslips"`. The run rejects a journal that was created under
   * a different name. Default: none.
   */
  name?: string | undefined;
  /**
   * Called once, after the journal is opened and before the first job. If the callback throws, the run ends
   * with that error.
   */
  onBegin?: ((progress: BulkProgress) => void) | undefined;
  /**
   * Called with the result of every job. A fulfilled job is reported after the journal has recorded it. If
   * the callback throws or rejects, the run ends with that error. If the callback returns a promise, the run
   * awaits the promise only at the end of the run.
   */
  onResult?: ((result: BulkResult<NoInfer<J>>) => void) | undefined;
  /**
   * Called when a service outage begins and when it ends. If the callback throws or rejects, the run ends
   * with that error.
   */
  onOutage?: ((outage: BulkOutage) => void) | undefined;
}

/** The default for `giveUpAfter`, in milliseconds. */
export const defaultGiveUpAfterMs = 900_000;

/** The rule for `giveUpAfter`. */
export const isGiveUpAfter: Rule = {
  words: "a number of milliseconds, 0 or more, or Infinity",
  test: (value) => typeof value === "number" && value >= 0,
};

/** Checks the `runBulk` options, and returns a copy. Throws a {@link ConfigurationError} for the first invalid one. */
export function checkBulkOptions<T, J>(given: RunBulkOptions<T, J>): RunBulkOptions<T, J> {
  const rules = { client: undefined, jobs: undefined, key: isFunction, sink: isObject, journal: isText };
  const callbacks = { onBegin: isFunction, onResult: isFunction, onOutage: isFunction };
  const options: RunBulkOptions<T, J> = checkOptions(
    given,
    { ...runRules, ...rules, fresh: isBoolean, giveUpAfter: isGiveUpAfter, name: isText, ...callbacks },
    "run",
  );
  checkClient(options.client);
  options.sink = readSink(options.sink);
  const { sink, journal, key } = options;
  if (journal === undefined) {
    throw new ConfigurationError(
      'A run needs a `journal`: pass the path of a file, such as "out/run.journal".',
    );
  }
  if (key === undefined && sink.keyOf === undefined) {
    throw new ConfigurationError("`key` is required: pass a function that returns a unique ID for each job.");
  }
  return options;
}
