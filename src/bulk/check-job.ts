import { ConfigurationError } from "../index.ts";
import { kindOf } from "../option-rules.ts";
import type { Job } from "./job.ts";

/**
 * Checks that a job is one, as far as the client does not.
 *
 * @throws {ConfigurationError} naming the job by its place
 */
export function checkJob<J extends Job>(job: J, index: number): J {
  const isObject = typeof job === "object" && job !== null;
  if (isObject && job.template !== undefined) return job;
  const what = isObject ? "has no `template`" : `is ${kindOf(job)}`;
  throw new ConfigurationError(
    `Job ${index} ${what}. Give every job as { template, values }, where \`template\` is a uid or a template(). Nothing was sent for it.`,
  );
}
