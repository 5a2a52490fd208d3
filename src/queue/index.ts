/**
 * Bulk generation on several machines: jobs wait in Redis or Valkey, and workers generate their documents.
 * Requires the `bullmq` and `ioredis` packages.
 *
 * @packageDocumentation
 */

export type { AddOptions, AddProgress, AddSummary } from "./add-options.ts";
export { type BulkQueue, bulkQueue } from "./bulk-queue.ts";
export { QueueError } from "./queue-error.ts";
export type { BulkQueueOptions, QueueConnection, RedisClient } from "./queue-options.ts";
export type { QueueFailure, QueueProgress, QueueResult, Repair } from "./queue-results.ts";
export type { SealKey, WebCryptoKey } from "./seal.ts";
export type { WorkOptions } from "./work-options.ts";
export type { QueueWorker } from "./worker.ts";
