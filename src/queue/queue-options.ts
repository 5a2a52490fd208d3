import { ConfigurationError } from "../index.ts";
import { checkOptions, isBoolean, isDuration, isText, type Rule } from "../options/option-rules.ts";
import type { SealKey } from "./seal.ts";

/** Your own ioredis client. The queue uses and closes copies that it creates with `duplicate()`. */
export interface RedisClient {
  /** Creates another connection with the same settings. */
  duplicate(override?: object): unknown;
}

/** A connection to Redis or Valkey: a URL such as `rediss://user:password@host:6379`, ioredis options, or an ioredis client. */
export type QueueConnection = string | URL | RedisClient | { readonly [option: string]: unknown };

/** Options for `bulkQueue`. */
export interface BulkQueueOptions {
  /**
   * The connection to Redis or Valkey: a URL, ioredis options, or your own ioredis client or `Cluster`, which
   * stays open. It must not have a `keyPrefix`; set `prefix` instead.
   */
  connection: QueueConnection;
  /** The name of the queue, without a colon. All machines that share a queue use the same name. */
  name: string;
  /**
   * The prefix for the keys in Redis, like BullMQ's `prefix`. For a Redis cluster, put the prefix in braces.
   * Default: `"bull"`, or `"{bull}"` for a cluster.
   */
  prefix?: string | undefined;
  /**
   * The key that encrypts jobs with AES-256-GCM, so that Redis contains no readable values: 32 bytes, their base64 encoding, or a
   * Web Crypto key. All machines that share a queue need the same key. With a key, workers reject jobs that
   * are not encrypted or were changed. Default: jobs are not encrypted.
   */
  sealKey?: SealKey | undefined;
  /**
   * Whether a queue with a `sealKey` also processes runs that were added without one. Set it while you
   * introduce a key, and remove it once these runs are finished: until then, anyone who can write to Redis
   * can add jobs. Default: `false`.
   */
  acceptUnsealed?: boolean | undefined;
  /**
   * How long the queue keeps the values of a failed job, in milliseconds. After that, the failure is still
   * listed, but the job must be added again. Default: 7 days.
   */
  keepFailedFor?: number | undefined;
}

/** The options for a queue, with all defaults filled in. */
export interface QueueSettings {
  readonly connection: QueueConnection;
  readonly name: string;
  readonly prefix: string | undefined;
  readonly sealKey: SealKey | undefined;
  readonly acceptUnsealed: boolean | undefined;
  readonly keepFailedForMs: number;
}

const defaultKeepFailedForMs = 7 * 24 * 3_600_000;

const isName: Rule = {
  words: "a non-empty string without a colon",
  test: (value) => isText.test(value) && !(value as string).includes(":"),
};

/** @throws {ConfigurationError} for the first invalid option */
export function checkQueueOptions(options: BulkQueueOptions): QueueSettings {
  const rules = { connection: undefined, name: isName, prefix: isText, sealKey: undefined };
  const more = { acceptUnsealed: isBoolean, keepFailedFor: isDuration };
  const checked = checkOptions<BulkQueueOptions>(options, { ...rules, ...more }, "queue");
  const { connection, name, prefix, sealKey, acceptUnsealed } = checked;
  const { keepFailedFor = defaultKeepFailedForMs } = checked;
  if (name === undefined) throw new ConfigurationError('A queue needs a `name`, such as "payslips".');
  return { connection, name, prefix, sealKey, acceptUnsealed, keepFailedForMs: keepFailedFor };
}

/** @throws {ConfigurationError} unless all keys are in one slot of a cluster */
export function clusterPrefix(prefix = "{bull}"): string {
  const begin = prefix.indexOf("{");
  if (begin !== -1 && prefix.indexOf("}", begin) > begin + 1) return prefix;
  throw new ConfigurationError(
    `In a Redis cluster, the \`prefix\` must contain braces, such as ${JSON.stringify(`{${prefix}}`)}.`,
  );
}
