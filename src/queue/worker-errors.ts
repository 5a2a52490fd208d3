import { RunStoppedError } from "../bulk/index.ts";
import { describeUnwritable } from "../bulk/unwritable.ts";
import { describeThrown, readForeignText } from "../errors/foreign-values.ts";

/** The error of a worker that cannot finish any job. */
export function stoppedBy(error: unknown): unknown {
  const why = describeUnwritable(error) ?? describeThrown(error).replace(/\.$/, "");
  const facts = { fulfilled: 0, rejected: 0, why, cause: error };
  return new RunStoppedError(`The worker stopped: ${why}. Its jobs are still in the queue.`, facts);
}

/** Whether BullMQ reports that this worker no longer has the job. */
export function isLockLost(error: unknown): boolean {
  return /^(?:Missing (?:lock|key)|Lock mismatch) /.test(readForeignText(error, "message") ?? "");
}
