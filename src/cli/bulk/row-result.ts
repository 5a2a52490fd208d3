import { join } from "node:path";
import { FailureGroups } from "../../bulk/failure-groups.ts";
import type { BulkResult, FailureGroup } from "../../bulk/index.ts";
import { TemplatePdfError } from "../../index.ts";
import { lineOf } from "../report.ts";
import type { BulkPlan, RowJob } from "./plan.ts";
import type { ReportEntry } from "./report-entry.ts";

const statuses = { fulfilled: "made", skipped: "made before", rejected: "failed" } as const;

/** Gives the path of a row's document, as the user would write it. */
export function documentOf(key: string | undefined, { folder }: BulkPlan): string | undefined {
  return key === undefined ? undefined : join(folder, key);
}

/** Tells what became of a row, as a report has it. */
export function entryOf(result: BulkResult<RowJob>, plan: BulkPlan): ReportEntry {
  const { job, key, status } = result;
  const { line, number: row } = job;
  const entry = { line, row, path: documentOf(key, plan), status: statuses[status] };
  if (status === "skipped") return entry;
  if (status === "fulfilled") return { ...entry, attempts: result.attempts };
  return { ...entry, attempts: result.attempts, code: codeOf(result.error), message: lineOf(result.error) };
}

function codeOf(error: unknown): string {
  if (TemplatePdfError.is(error)) return error.code;
  return error instanceof Error ? error.name : "unknown";
}

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
