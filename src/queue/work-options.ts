import { isGiveUpAfter } from "../bulk/bulk-options.ts";
import type { BulkOutage, RunOptions, Sink } from "../bulk/index.ts";
import { checkClient, runRules } from "../bulk/run-options.ts";
import { ConfigurationError, type TemplatePdf } from "../index.ts";
import {
  checkOptions,
  isDuration,
  isFunction,
  isObject,
  isPositiveCount,
  type Rule,
} from "../options/option-rules.ts";
import { resolveRetry } from "../options/retry.ts";
import type { QueueResult } from "./worker.ts";

/** The options of a worker. */
export interface WorkOptions<J> extends Pick<RunOptions, "retry" | "signal"> {
  /** Requests the documents. Every worker has its own API key: none is in Redis. */
  // biome-ignore lint/suspicious/noExplicitAny: the types of values were checked when the jobs were added.
  client: TemplatePdf<any>;
  /** Stores the documents: a `folder` on a disk that all workers share, or anything with a `put`. */
  sink: Sink<J>;
  /** How many documents this worker generates at once. Default: 16. */
  concurrency?: number | undefined;
  /**
   * How many requests a second all workers of the queue send together, at most. It is kept in the queue: the last worker that sets it
   * decides, and `Infinity` removes it. Default: what the queue has; without a limit, the workers find out what the service allows.
   */
  perSecond?: number | undefined;
  /** After how many milliseconds without a sign of life other workers take the jobs of this one. Default: 30,000. */
  recoverAfter?: number | undefined;
  /**
   * How long the service may be unavailable before the worker stops with a `RunStoppedError`, in milliseconds; may be 0 or `Infinity`.
   * Default: 900,000.
   */
  giveUpAfter?: number | undefined;
  /** Called with what became of every job that this worker ended. What it throws ends the worker. */
  onResult?: ((result: QueueResult<J>) => void) | undefined;
  /** Called when the service becomes unavailable, and when it answers again. What it throws ends the worker. */
  onOutage?: ((outage: BulkOutage) => void) | undefined;
  /** Called with errors of the connection to Redis, for a log. The worker goes on when Redis is back. */
  onError?: ((error: Error) => void) | undefined;
}

const isRate: Rule = {
  words: "a number above 0, or Infinity",
  test: (value) => typeof value === "number" && value > 0,
};

/** Throws a {@link ConfigurationError} for the first option of `work` that is wrong. */
export function checkWorkOptions<J>(options: WorkOptions<J>): void {
  const { retry, signal } = runRules;
  checkOptions(
    options,
    {
      client: undefined,
      sink: isObject,
      concurrency: isPositiveCount,
      perSecond: isRate,
      retry,
      signal,
      giveUpAfter: isGiveUpAfter,
      recoverAfter: isDuration,
      onResult: isFunction,
      onOutage: isFunction,
      onError: isFunction,
    },
    "worker",
  );
  checkClient(options.client);
  resolveRetry(options.retry);
  if (typeof options.sink?.put === "function") return;
  throw new ConfigurationError(
    'A worker needs a `sink`: give it folder("out/{{name}}.pdf"), or an object with `put`.',
  );
}
