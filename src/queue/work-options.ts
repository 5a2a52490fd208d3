import { isGiveUpAfter } from "../bulk/bulk-options.ts";
import type { BulkOutage, RunOptions, Sink } from "../bulk/index.ts";
import { checkClient, runRules } from "../bulk/run-options.ts";
import { readSink } from "../bulk/sink.ts";
import type { TemplatePdf } from "../index.ts";
import {
  checkOptions,
  isDuration,
  isFunction,
  isObject,
  isPositiveCount,
  type Rule,
} from "../options/option-rules.ts";
import type { QueueResult } from "./queue-results.ts";

/** Options for a worker. */
export interface WorkOptions<J> extends Pick<RunOptions, "retry" | "signal"> {
  /**
   * The client that generates the documents. Redis never stores its API key, so every worker needs its own
   * client.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the types of values were checked when the jobs were added.
  client: TemplatePdf<any>;
  /** Stores the documents: a `folder` on a disk that all workers share, or an object with `put`. */
  sink: Sink<J>;
  /**
   * The maximum number of documents that this worker generates at a time. It begins with two, and each response
   * allows one more. Default: 16.
   */
  concurrency?: number | undefined;
  /**
   * The maximum number of requests per second across all workers, including retries. The queue stores this
   * limit. If several workers set it, the last one wins. `Infinity` removes the limit. If the service responds
   * with 429, the workers send fewer requests. Default: the stored limit, if any.
   */
  perSecond?: number | undefined;
  /**
   * The maximum time in milliseconds until other workers take over the jobs of a killed or unresponsive worker: 1000
   * or more. BullMQ renews the lock of a job every 0.4 of this time. Default: 30,000.
   */
  recoverAfter?: number | undefined;
  /**
   * The maximum duration of a service outage, or of a time in which every request is refused with 429, in
   * milliseconds: 0 or more, or `Infinity`. If it lasts longer, the worker stops with a `RunStoppedError`.
   * Default: 900,000.
   */
  giveUpAfter?: number | undefined;
  /**
   * Called with the result of every job that this worker processes. If the callback throws, the worker stops
   * with that error.
   */
  onResult?: ((result: QueueResult<J>) => void) | undefined;
  /**
   * Called when a service outage begins and when it ends. All workers pause during an outage, except for one
   * request at a time. If the callback throws, the worker stops with that error.
   */
  onOutage?: ((outage: BulkOutage) => void) | undefined;
  /**
   * Called with errors that belong to no result, so that you can log them: Redis errors, each at most every 30 s, after
   * which the worker resumes when Redis is available again, a `QueueError` for each job that cannot be read, and the error that
   * stops the worker.
   */
  onError?: ((error: Error) => void) | undefined;
}

/** With less, a busy process would lose them. */
const isRecoverAfter: Rule = {
  words: "a number of milliseconds, 1000 or more",
  test: (value) => isDuration.test(value) && (value as number) >= 1000,
};

const isRate: Rule = {
  words: "a number above 0, or Infinity",
  test: (value) => typeof value === "number" && value > 0,
};

/** Checks the `work` options, and returns a copy. Throws a {@link ConfigurationError} for the first invalid one. */
export function checkWorkOptions<J>(given: WorkOptions<J>): WorkOptions<J> {
  const { retry, signal } = runRules;
  const options: WorkOptions<J> = checkOptions<WorkOptions<J>>(
    given,
    {
      client: undefined,
      sink: isObject,
      concurrency: isPositiveCount,
      perSecond: isRate,
      retry,
      signal,
      giveUpAfter: isGiveUpAfter,
      recoverAfter: isRecoverAfter,
      onResult: isFunction,
      onOutage: isFunction,
      onError: isFunction,
    },
    "worker",
  );
  checkClient(options.client);
  options.sink = readSink(options.sink);
  return options;
}
