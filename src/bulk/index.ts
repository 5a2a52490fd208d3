/**
 * Bulk generation: generates many documents in bounded memory, at the speed that the service allows. A run
 * can continue after a crash.
 *
 * @packageDocumentation
 */

export type { BulkProgress, BulkResult, BulkSummary, RunBulkOptions, Skipped } from "./bulk-options.ts";
export type { FailureGroup } from "./failure-groups.ts";
export { type FolderOptions, type FolderSink, folder } from "./folder/folder.ts";
export { generateMany } from "./generate-many.ts";
export type {
  Fitting,
  Fulfilled,
  Job,
  JobOf,
  JobOptions,
  Jobs,
  Rejected,
  Result,
  Use,
  UseContext,
} from "./job.ts";
export { JournalError } from "./journal/journal-error.ts";
export { runBulk } from "./run-bulk.ts";
export type { GenerateManyOptions, RunOptions } from "./run-options.ts";
export { RunStoppedError } from "./run-stopped-error.ts";
export type { BulkOutage } from "./service-watch.ts";
export type { PutContext, Sink, SinkRun } from "./sink.ts";
