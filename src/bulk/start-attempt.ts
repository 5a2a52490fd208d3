import { type BulkAttempt, forBulkRuns } from "../call/bulk-attempt.ts";
import type { PendingPdf, TemplatePdf } from "../index.ts";
import { checkJob, type Job } from "./job.ts";
import type { RunOptions } from "./run-options.ts";

/**
 * Starts one attempt at a job.
 *
 * @param attempt - is notified, and decides about retries. A mock of a client does not know it
 * @throws {ConfigurationError} if the job is invalid
 */
export function startAttempt(
  // biome-ignore lint/suspicious/noExplicitAny: the job types have already been checked.
  client: TemplatePdf<any>,
  { job, index }: { readonly job: Job; readonly index: number },
  retry: RunOptions["retry"],
  attempt: BulkAttempt,
): PendingPdf {
  const { template, values, options } = checkJob(job, index);
  const settings = { ...options, retry };
  return reportsAttempts(client)
    ? client[forBulkRuns].startAttempt(template, values, settings, attempt)
    : client.generate(template, values as never, settings);
}

/** Whether a client notifies the attempts that it makes. A mock of a client does not. */
export function reportsAttempts(client: object): boolean {
  return forBulkRuns in client;
}
