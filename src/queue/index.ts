/**
 * Bulk generation on several machines: jobs wait in Redis or Valkey, and workers generate their documents.
 * Requires the `bullmq` and `ioredis` packages.
 *
 * @packageDocumentation
 */

export type { AddOptions, AddProgress, AddSummary } from "./add-options.ts";
export {
  type BulkQueue,
  bulkQueue,
  type QueueFailure,
} from "./bulk-queue.ts";
export type { QueueResult } from "./job-processor.ts";
export type { QueueProgress } from "./progress.ts";
export { QueueError } from "./queue-error.ts";
export type { BulkQueueOptions, QueueConnection, RedisClient } from "./queue-options.ts";
export type { Repair } from "./run-control.ts";
export type { SealKey, WebCryptoKey } from "./seal.ts";
export type { WorkOptions } from "./work-options.ts";
export type { QueueWorker } from "./worker.ts";
