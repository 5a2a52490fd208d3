import type { Job as BullJob } from "bullmq";
import { RunStoppedError } from "../bulk/index.ts";
import { describeUnwritable } from "../bulk/unwritable.ts";
import { describeThrown, readForeignText } from "../errors/foreign-values.ts";
import { QueueError } from "./queue-error.ts";

/** A document is not retried after this number of workers have died while generating it. */
const mostInterruptions = 10;

export function placeError(index: number): QueueError {
  return new QueueError(
    `Job ${index} has the same path as another job in its run, and would replace that job's document. No request was sent for job ${index}.`,
  );
}

/** The error of a worker that cannot finish any job. */
export function stoppedBy(error: unknown): unknown {
  const why = describeUnwritable(error) ?? describeThrown(error);
  const facts = { fulfilled: 0, rejected: 0, why, cause: error };
  return new RunStoppedError(`The worker stopped: ${why}. Its jobs are still in the queue.`, facts);
}

/** Whether BullMQ reports that this worker no longer has the job. */
export function isLockLost(error: unknown): boolean {
  return /^(?:Missing (?:lock|key)|Lock mismatch) /.test(readForeignText(error, "message") ?? "");
}

/** A job is not retried if workers died while generating its document. Returns `undefined` if it is retried. */
export function interruptionOf(
  { attemptsStarted, progress }: BullJob,
  mayRenderTwice: boolean,
): QueueError | undefined {
  const { starts = 0 } = Object(progress) as { starts?: number };
  const interruptions = attemptsStarted - starts - 1;
  // Not a number if the record in Redis was changed.
  if (!(interruptions > 0)) return undefined;
  if (!mayRenderTwice) {
    return new QueueError(
      "A worker stopped while generating this document, which may have been rendered. Not retried: `retry.mayRenderTwice` is false.",
    );
  }
  if (interruptions < mostInterruptions) return undefined;
  return new QueueError(`${interruptions} workers stopped while generating this document.`);
}
