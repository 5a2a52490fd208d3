import type { Bytes, TemplatePdf } from "../index.ts";
import type { Fitting, Job, JobOf, Jobs, Result } from "./job.ts";
import { JobSource } from "./job-source.ts";
import { Run, type RunParts } from "./run.ts";
import { checkClient, checkManyOptions, type GenerateManyOptions } from "./run-options.ts";

/**
 * Generates a document for every job, several at a time, and yields the results as they complete.
 *
 * The run starts when you request the first result, and pulls one job at a time. Jobs in flight and unread
 * results together never exceed `concurrency`, so the run pauses if you stop reading. A failed job yields a
 * rejected result and does not stop the run. If you leave the loop, the jobs in flight are cancelled.
 *
 * @param client - the client that sends the requests. The client's own retries are disabled. The run retries
 * jobs instead, because a 429, a 503 or a `Retry-After` affects all jobs
 * @param jobs - any iterable of `{ template, values }`. Jobs may have additional properties
 * @param options - see `GenerateManyOptions`
 * @returns the results, each as `{ job, index, attempts, status: "fulfilled", value }` or `{ …, status: "rejected", error }`
 * @throws {ConfigurationError} if an option is unknown or invalid, or `jobs` is not iterable
 * @throws {RunStoppedError} (rejects) if `stopAfter`, `drain` or a permanent failure ended the run early
 * @throws the abort reason (rejects) when `signal` is aborted
 * @throws any error thrown by the `jobs` iterable (rejects), after the results of the jobs in flight have
 * been yielded
 *
 * @example
 * ```ts
 * import { generateMany } from "template-pdf/bulk";
 *
 * const jobs = rows.map((values) => ({ template: "invoice", values }));
 * for await (const result of generateMany(pdfs, jobs, { use: (pdf, { values }) => pdf.saveTo(`${values.no}.pdf`) })) {
 *   if (result.status === "rejected") console.error(`job ${result.index}:`, result.error);
 * }
 * ```
 */
export function generateMany<T extends { [K in keyof T]: object }, J extends JobOf<T, J>, R = Bytes>(
  client: TemplatePdf<T>,
  jobs: Jobs<J & Fitting<J>>,
  options: GenerateManyOptions<J, R> = {},
): AsyncIterableIterator<Result<J, R>> {
  checkClient(client);
  const checked = checkManyOptions(options);
  const use = checked.use ?? ((pdf) => pdf.bytes() as Promise<unknown> as Promise<R>);
  // The compiler can tell that `J` is a job only where its type is concrete.
  const parts = { ...checked, use } as unknown as RunParts<Job, R>;
  const run: unknown = new Run(client, new JobSource(jobs as Jobs<Job>), parts);
  return run as AsyncIterableIterator<Result<J, R>>;
}
