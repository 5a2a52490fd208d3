import { join } from "node:path";
import type { BulkResult } from "../../bulk/index.ts";
import { TemplatePdfError } from "../../index.ts";
import { lineOf } from "../report.ts";
import type { BulkPlan } from "./plan.ts";
import type { ReportEntry } from "./report-entry.ts";
import type { RowJob } from "./row-job.ts";

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
