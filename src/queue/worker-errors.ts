import { RunStoppedError } from "../bulk/index.ts";
import { describeUnwritable } from "../bulk/unwritable.ts";
import { QueueError } from "./queue-error.ts";

/** The error for a document that would replace another of its run. */
export function placeError(index: number): QueueError {
  return new QueueError(
    `Job ${index} has the same path as another job of its run, whose document it would replace. No request was sent for it.`,
  );
}

/** The error for a worker that could not finish any job. */
export function stoppedBy(error: unknown): unknown {
  const why = describeUnwritable(error) ?? (error as Error).message;
  const facts = { fulfilled: 0, rejected: 0, why, cause: error };
  return new RunStoppedError(`The worker was stopped: ${why}. Its jobs are in the queue.`, facts);
}

/** Whether BullMQ says that another worker has the job, or nobody. */
export function isLockLost(error: unknown): boolean {
  return /^(?:Missing (?:lock|key)|Lock mismatch) /.test((error as Error | undefined)?.message ?? "");
}
