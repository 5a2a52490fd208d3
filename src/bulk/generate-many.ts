import type { Bytes, TemplatePdf } from "../index.ts";
import type { Fitting, Job, JobOf, Jobs, Result } from "./job.ts";
import { JobSource } from "./job-source.ts";
import { Run, type RunParts } from "./run.ts";
import { checkClient, checkManyOptions, type GenerateManyOptions } from "./run-options.ts";

/**
 * Generates a document for every job, many at once, and gives the results as they are completed.
 *
 * Jobs are pulled one at a time, when there is room for one: no more of them, and of their results, are held than may be in hand at
 * once; so the results have to be taken for the run to go on. It begins when the first is asked for. A job that fails for good is
 * a result like any other, and stops nothing. Leaving the loop gives up what is in flight.
 *
 * @param client - asks the service. Its own retries are off: the run decides, because what the service says to one call (429, 503,
 * `Retry-After`) matters to all
 * @param jobs - an array, a generator, a cursor … of `{ template, values }`, with members of your own if you like
 * @param options - see `GenerateManyOptions`
 * @returns the results, each as `{ job, index, attempts, status: "fulfilled", value }` or `{ …, status: "rejected", error }`
 * @throws {ConfigurationError} when an option is unknown or wrong, or `jobs` cannot be gone through
 * @throws {RunStoppedError} (rejects) at the end of a run that `stopAfter`, `drain` or the service ended before its jobs did
 * @throws the reason of `signal` (rejects) when that is aborted
 * @throws what the source of the jobs throws (rejects), once what was in flight has been given
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
  checkManyOptions(options);
  const use = options.use ?? ((pdf) => pdf.bytes() as Promise<unknown> as Promise<R>);
  // For the compiler, `J` is a job only where it is known.
  const parts = { ...options, use } as unknown as RunParts<Job, R>;
  const run: unknown = new Run(client, new JobSource(jobs as Jobs<Job>), parts);
  return run as AsyncIterableIterator<Result<J, R>>;
}
