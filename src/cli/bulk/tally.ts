import { FailureGroups } from "../../bulk/failure-groups.ts";
import type { BulkResult, FailureGroup } from "../../bulk/index.ts";
import type { RowJob } from "./row-job.ts";

/** What has become of the rows until now. */
export class Tally {
  made = 0;
  madeBefore = 0;
  failed = 0;
  readonly #ordinalOf: (job: RowJob) => number;
  readonly #groups = new FailureGroups();

  /** @param ordinalOf - the number by which a row is told */
  constructor(ordinalOf: (job: RowJob) => number) {
    this.#ordinalOf = ordinalOf;
  }

  /** Why rows have failed; their `indexes` are the numbers by which they are told. */
  get failures(): readonly FailureGroup[] {
    return this.#groups.all;
  }

  add(result: BulkResult<RowJob>): void {
    if (result.status === "fulfilled") {
      this.made++;
    } else if (result.status === "skipped") {
      this.madeBefore++;
    } else {
      this.failed++;
      this.#groups.add(result.error, this.#ordinalOf(result.job));
    }
  }
}
