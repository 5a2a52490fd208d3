import { ConfigurationError } from "../index.ts";
import { describeType } from "../options/option-rules.ts";
import type { Job } from "./job.ts";

/**
 * Checks that a job is one, as far as the client does not.
 *
 * @throws {ConfigurationError} naming the job by its place
 */
export function checkJob<J extends Job>(job: J, index: number): J {
  const isObject = typeof job === "object" && job !== null;
  if (isObject && job.template !== undefined) {
    if (job.options === undefined || !("retry" in job.options)) return job;
    throw new ConfigurationError(
      `Job ${index} has \`retry\` among its options, and the run decides when a document is asked for again. Give \`retry\` to the run. Nothing was sent for it.`,
    );
  }
  const what = isObject ? "has no `template`" : `is ${describeType(job)}`;
  throw new ConfigurationError(
    `Job ${index} ${what}. Give every job as { template, values }, where \`template\` is a uid or a template(). Nothing was sent for it.`,
  );
}
