import type { BulkResult } from "../bulk/index.ts";

/** The result of a queued job. */
export type QueueResult<J> = BulkResult<J> & {
  /** The run that the job was added to. */
  readonly run: string;
};

/** The progress of a run. */
export interface QueueProgress {
  /** The name of the run. */
  readonly run: string;
  /** The number of jobs added so far. */
  readonly total: number;
  /** The number of jobs whose documents are stored. */
  readonly fulfilled: number;
  /** The number of failed jobs. */
  readonly rejected: number;
  /** The number of jobs that were cancelled with the run, and were not added again. */
  readonly cancelled: number;
  /** The number of jobs that are waiting for a worker, a retry or their `notBefore` time. */
  readonly waiting: number;
  /** The number of jobs that workers are processing. */
  readonly active: number;
  /** The recent rate of finished jobs per second. 0 in the first reading, because a rate needs two. */
  readonly perSecond: number;
  /**
   * The estimated remaining time in milliseconds; `undefined` if it is unknown, because jobs are still being
   * added, no jobs begin (see `paused`) or no job has finished recently.
   */
  readonly leftMs: number | undefined;
  /** Whether the total is final: no call to `add` is in progress for the run, and the last call completed. */
  readonly isAdded: boolean;
  /** Why the last call to `add` did not complete, if no other call is in progress. */
  readonly addError: string | undefined;
  /** The number of live workers of the queue. A worker that was killed counts for another 15 s. */
  readonly workers: number;
  /** The maximum number of requests per second that all workers send at the moment; `undefined` without a limit. */
  readonly limit: number | undefined;
  /**
   * Why no jobs of the run begin at the moment: the run or the queue is paused, the service is unavailable, or it has
   * refused every request with 429 for 5 s.
   */
  readonly paused: string | undefined;
}

/** A failed job. */
export interface QueueFailure {
  /** The ID of the job in BullMQ, which dashboards show. */
  readonly id: string;
  /** The key of the job, if it was added with one and can be read. */
  readonly key: string | undefined;
  /** The index of the job in its call to `add`, starting at 0; `undefined` if the job cannot be read. */
  readonly index: number | undefined;
  /** The `code` of the error, for example `"bad_request"`. */
  readonly code: string;
  /** The message of the error. */
  readonly message: string;
  /** The time of the failure. */
  readonly failedAt: Date;
}

/** What a repair has changed. */
export interface Repair {
  /** The number of jobs that were queued again, because they were in none of BullMQ's lists. */
  readonly queued: number;
  /** The number of jobs that failed, because their values are gone. Add them again. */
  readonly deleted: number;
}
