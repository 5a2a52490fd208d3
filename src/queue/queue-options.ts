import { ConfigurationError } from "../index.ts";
import { checkOptions, isDuration, isText, type Rule } from "../options/option-rules.ts";
import type { SealKey } from "./queued-job.ts";

/** An ioredis client of your own. The queue uses copies of it, made by its `duplicate()`, and closes only those. */
export interface RedisClient {
  /** Creates another connection with the same settings. */
  duplicate(override?: object): unknown;
}

/** Where Redis or Valkey is: a URL such as `rediss://user:password@host:6379`, the options of ioredis, or an ioredis client. */
export type QueueConnection = string | URL | RedisClient | { readonly [option: string]: unknown };

/** The options of `bulkQueue`. */
export interface BulkQueueOptions {
  /** Where Redis or Valkey is: a URL, the options of ioredis, or an ioredis client of your own, which stays open. */
  connection: QueueConnection;
  /** The name of the queue, without a colon. All machines that share a queue give the same name. */
  name: string;
  /** What the keys in Redis begin with, as `prefix` of BullMQ; for a cluster, with braces, such as `{bull}`. Default: `"bull"`. */
  prefix?: string | undefined;
  /**
   * Seals jobs with AES-256-GCM, so that Redis holds no readable values: 32 bytes, their base64, or a key of Web Crypto. All machines
   * that share a queue need the same. Default: jobs are not sealed.
   */
  sealKey?: SealKey | undefined;
  /** After how many milliseconds the values of a failed job are deleted; it cannot be retried then. Default: 7 days. */
  keepFailedFor?: number | undefined;
}

/** The options of a queue, complete. */
export interface QueueSettings {
  readonly connection: QueueConnection;
  readonly name: string;
  readonly prefix: string;
  readonly keepFailedForMs: number;
}

const defaultKeepFailedForMs = 7 * 24 * 3_600_000;

const isName: Rule = {
  words: "a text that is not empty and has no colon",
  test: (value) => isText.test(value) && !(value as string).includes(":"),
};

/** @throws {ConfigurationError} for the first option that is wrong */
export function checkQueueOptions(options: BulkQueueOptions): QueueSettings {
  const rules = { connection: undefined, name: isName, prefix: isText, sealKey: undefined };
  checkOptions(options, { ...rules, keepFailedFor: isDuration }, "queue");
  const { connection, name, prefix = "bull", keepFailedFor = defaultKeepFailedForMs } = options;
  if (name === undefined) throw new ConfigurationError('A queue needs a `name`, such as "payslips".');
  return { connection, name, prefix, keepFailedForMs: keepFailedFor };
}
