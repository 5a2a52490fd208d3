import type {
  DelayedError,
  Queue,
  QueueOptions,
  RateLimitError,
  UnrecoverableError,
  WaitingError,
  Worker,
  WorkerOptions,
} from "bullmq";
import type { Cluster, Redis } from "ioredis";
import { readForeignText } from "../errors/foreign-values.ts";
import { ConfigurationError } from "../index.ts";
import { BullMqRecords } from "./bullmq-records.ts";
import { Fleet } from "./fleet.ts";
import { QueueError } from "./queue-error.ts";
import {
  clusterPrefix,
  type QueueConnection,
  type QueueSettings,
  type RedisClient,
} from "./queue-options.ts";
import type { JobCodec } from "./queued-job.ts";
import { withoutCommand } from "./redis-error.ts";
import { RunControl } from "./run-control.ts";
import { RunRecords } from "./run-records.ts";

/** The parts of BullMQ that a queue uses. */
interface BullMq {
  readonly Queue: new (name: string, options: QueueOptions) => Queue;
  readonly Worker: new (
    name: string,
    process: NonNullable<ConstructorParameters<typeof Worker>[1]>,
    options: WorkerOptions,
  ) => Worker;
  readonly DelayedError: typeof DelayedError;
  readonly RateLimitError: typeof RateLimitError;
  readonly UnrecoverableError: typeof UnrecoverableError;
  readonly WaitingError: typeof WaitingError;
}

/** A queue with a checked connection. */
export interface OpenQueue {
  readonly bullmq: BullMq;
  /** Also for a cluster, whose commands are the same. */
  readonly redis: Redis;
  readonly queue: Queue;
  readonly runs: RunRecords;
  readonly records: BullMqRecords;
  readonly control: RunControl;
  readonly fleet: Fleet;
  /** The prefix of the keys. A cluster needs one in braces. */
  readonly prefix: string;
  /** Whether BullMQ must not read the version of Redis, because the user has no right to. */
  readonly skipVersionCheck: boolean;
}

/**
 * Opens a queue in Redis or Valkey, and checks that Redis does not evict jobs.
 *
 * @throws {ConfigurationError} if a package is missing, or Redis may evict jobs
 * @throws {QueueError} if Redis cannot be reached, is too old, does not respond or rejects the password
 */
export async function openQueue(
  { connection, name, prefix: givenPrefix, keepFailedForMs }: QueueSettings,
  codec: JobCodec,
): Promise<OpenQueue> {
  const [bullmq, ioredis] = await Promise.all([
    load("bullmq", () => import("bullmq")),
    load("ioredis", () => import("ioredis")),
    codec.open(),
  ]);
  const redis = createClient(connection, ioredis.Redis);
  const prefix = redis.isCluster ? clusterPrefix(givenPrefix) : (givenPrefix ?? "bull");
  // Without a listener, ioredis would print every error. The first connection reports them; later connections reconnect.
  let lastError: unknown;
  redis.on("error", (error) => {
    lastError = error;
  });
  const where = addressOf(redis);
  const timer = setTimeout(() => {
    lastError = new Error("it is not responding");
    redis.disconnect();
  }, redis.options.connectTimeout || 10_000);
  try {
    await redis.connect();
    const skipVersionCheck = !(await checkServer(redis, where));
    const removeOnFail = { age: Math.ceil(keepFailedForMs / 1000) };
    const defaultJobOptions = { removeOnComplete: true, removeOnFail, stackTraceLimit: 0 };
    const queue = new bullmq.Queue(name, {
      ...{ connection: redis, prefix, skipVersionCheck },
      defaultJobOptions: { ...defaultJobOptions, backoff: { type: "custom" } },
    });
    // The connection has its own listener.
    queue.on("error", () => {});
    await queue.waitUntilReady();
    await checkPermissions(redis, where, queue.toKey("meta"));
    const keyOf = (part: string) => queue.toKey(part);
    const runs = new RunRecords(redis, keyOf(""));
    const records = new BullMqRecords(queue, redis);
    const control = new RunControl(queue, runs, records);
    const fleet = new Fleet(redis, keyOf);
    return { bullmq, redis, queue, runs, records, control, fleet, prefix, skipVersionCheck };
  } catch (error) {
    redis.disconnect();
    if (ConfigurationError.is(error) || QueueError.is(error)) throw error;
    throw connectionError(where, lastError ?? error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns whether the user may read the settings of Redis.
 *
 * @throws {ConfigurationError} if Redis may evict jobs, or is a node of a cluster
 */
async function checkServer(redis: Redis, where: string): Promise<boolean> {
  const info = await redis.info().catch((error) => {
    // A user without the right to read this information may still use the queue.
    if (/^NOPERM/.test(readForeignText(error, "message") ?? "")) return "";
    throw error;
  });
  const policy = /^maxmemory_policy:(.*?)\r?$/m.exec(info)?.[1];
  if (policy !== undefined && policy !== "noeviction") {
    throw new ConfigurationError(
      `Redis at ${where} may delete waiting jobs: its \`maxmemory-policy\` is ${JSON.stringify(policy)}. Set it to noeviction.`,
    );
  }
  if (/^cluster_enabled:1/m.test(info) && !redis.isCluster) {
    throw new ConfigurationError(
      `Redis at ${where} is a node of a cluster. Pass \`connection: new Cluster(…)\` from ioredis.`,
    );
  }
  return info !== "";
}

/** The commands of BullMQ's scripts and ours. Redis does not always name the one that a script may not run. */
const commands =
  `DEL EXISTS EXPIRE GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HMSET HSCAN HSET HSETNX INCR LINDEX LLEN LPOP LPOS LPUSH
  LRANGE LREM LTRIM PERSIST PEXPIRE PTTL RPOP RPOPLPUSH RPUSH SADD SCARD SET SISMEMBER SMEMBERS SMISMEMBER SREM TIME TYPE UNLINK XADD
  XTRIM ZADD ZCARD ZCOUNT ZPOPMIN ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREM ZREMRANGEBYSCORE ZREVRANGE ZSCORE BZPOPMIN EVALSHA`.split(
    /\s+/,
  );

/** Returns the commands that the user may not run. Before Redis 7, scripts cannot know. KEYS: any key. ARGV: commands. */
const permissionScript = `
local missing = {}
for _, command in ipairs(redis.acl_check_cmd and ARGV or {}) do
  local isKnown, isAllowed = pcall(redis.acl_check_cmd, command, KEYS[1])
  if isKnown and not isAllowed then table.insert(missing, command) end
end
return missing`;

/** @throws {QueueError} (rejects) if the user may not run a command that the queue needs */
async function checkPermissions(redis: Redis, where: string, key: string): Promise<void> {
  const missing = (await redis.eval(permissionScript, 1, key, ...commands)) as string[];
  if (missing.length > 0) throw new QueueError(permissionText(where, missing.join(", ")));
}

function permissionText(where: string, command = ""): string {
  return `The Redis user at ${where} lacks a permission${command && ` for ${command}`}. Allow it all commands except dangerous ones for the keys of the queue.`;
}

/** A connection with the same settings, and those that BullMQ copies from it. */
export interface AnotherConnection {
  readonly redis: Redis;
  /** Makes those between two attempts to connect try now. Otherwise, their commands would never end if BullMQ closes them. */
  wake(): void;
  /** Closes all of them. Waiting commands reject. */
  close(): void;
}

/** Creates an independent connection with the same settings. */
export function anotherConnection(original: Redis): AnotherConnection {
  const connections: Redis[] = [];
  const track = (another: Redis): Redis => {
    another.on("error", () => {});
    connections.push(another);
    const duplicate = another.duplicate.bind(another) as (...args: unknown[]) => Redis;
    another.duplicate = ((...args: unknown[]) => track(duplicate(...args))) as Redis["duplicate"];
    return another;
  };
  const override = { lazyConnect: false };
  const redis = track(original.isCluster ? copyOfCluster(original, override) : original.duplicate(override));
  return { redis, wake: () => connections.forEach(wake), close: () => connections.forEach(disconnect) };
}

/** The options of a cluster's copy are the second argument. */
function copyOfCluster(cluster: unknown, override: object): Redis {
  return (cluster as Cluster).duplicate([], override) as unknown as Redis;
}

/** Closes a connection. Waiting commands reject. */
export function disconnect(redis: Redis): void {
  wake(redis);
  redis.disconnect();
}

/** Between two attempts to connect, ioredis would leave commands waiting when it disconnects. */
function wake(redis: Redis): void {
  if (redis.status === "reconnecting") redis.connect().catch(() => {});
}

/** Commands wait while Redis is unavailable, and are sent when it is back. */
const patient = { maxRetriesPerRequest: null, lazyConnect: true } as const;

function createClient(connection: QueueConnection, RedisClass: typeof Redis): Redis {
  if (typeof connection === "string" || connection instanceof URL) {
    return new RedisClass(checkUrl(String(connection)), patient);
  }
  if (typeof connection !== "object" || connection === null) {
    throw new ConfigurationError(
      "`connection` is required: pass a URL such as redis://localhost:6379, ioredis options, or an ioredis client.",
    );
  }
  if (typeof (connection as RedisClient).duplicate !== "function") {
    checkKeyPrefix(connection);
    return new RedisClass({ ...connection, ...patient });
  }
  const client = connection as Redis;
  checkKeyPrefix(client.options);
  if (!client.isCluster) return client.duplicate(patient);
  const { redisOptions } = (connection as unknown as Cluster).options;
  checkKeyPrefix(redisOptions);
  const options = { ...redisOptions, maxRetriesPerRequest: null };
  return copyOfCluster(connection, { lazyConnect: true, redisOptions: options });
}

/** @throws {ConfigurationError} if ioredis would change the keys, which BullMQ's scripts cannot know */
function checkKeyPrefix(options: object | undefined): void {
  if (!Object(options).keyPrefix) return;
  throw new ConfigurationError(
    "The `connection` has a `keyPrefix`, which BullMQ does not support. Remove it, and set the queue's `prefix`.",
  );
}

/** @throws {ConfigurationError} without the URL, which may contain a password */
function checkUrl(text: string): string {
  if (URL.canParse(text) && /^rediss?:/.test(text)) return text;
  throw new ConfigurationError(
    "The queue URL is not a Redis URL. Use redis://host:6379, or rediss://user:password@host:6379 with TLS.",
  );
}

/** `localhost:6379`, without user and password. */
function addressOf(redis: Redis): string {
  if (redis.isCluster) return "the cluster";
  const { path, host, port } = redis.options;
  return path ?? `${host ?? "localhost"}:${port ?? 6379}`;
}

function connectionError(where: string, error: unknown): QueueError {
  const message = readForeignText(error, "message") ?? "";
  const code = readForeignText(error, "code");
  const isRefusal = /^(?:WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password)/.test(message);
  const command = /^NOPERM [^']{0,200}'([^' ]{1,50})' command/.exec(message)?.[1];
  const text = isRefusal
    ? `Redis at ${where} rejects the user name or the password. Check the queue URL.`
    : /^NOPERM/.test(message)
      ? permissionText(where, command?.toUpperCase())
      : `Redis at ${where} cannot be reached: ${code ?? message}. Check the queue URL, and that Redis is running.`;
  return new QueueError(text, { cause: withoutCommand(error) });
}

async function load<T>(name: string, loading: () => Promise<T>): Promise<T> {
  try {
    return await loading();
  } catch (cause) {
    throw new ConfigurationError(
      `A queue needs bullmq and ioredis, but ${name} cannot be loaded. Run npm install bullmq ioredis.`,
      { cause },
    );
  }
}
