import { RunStoppedError } from "../bulk/index.ts";
import { describeUnwritable } from "../bulk/unwritable.ts";
import { QueueError } from "./queue-error.ts";

/** Creates the error for a document that would replace another document of the same run. */
export function placeError(index: number): QueueError {
  return new QueueError(
    `Job ${index} has the same path as another job of its run, whose document it would replace. No request was sent for it.`,
  );
}

/** Creates the error for a worker that cannot finish any job. */
export function stoppedBy(error: unknown): unknown {
  const why = describeUnwritable(error) ?? (error as Error).message;
  const facts = { fulfilled: 0, rejected: 0, why, cause: error };
  return new RunStoppedError(`The worker stopped: ${why}. Its jobs are still in the queue.`, facts);
}

/** Whether BullMQ reports that this worker no longer has the job. */
export function isLockLost(error: unknown): boolean {
  return /^(?:Missing (?:lock|key)|Lock mismatch) /.test((error as Error | undefined)?.message ?? "");
}
