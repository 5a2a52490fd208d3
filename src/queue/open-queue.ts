import type { Queue, QueueOptions, UnrecoverableError, WaitingError, Worker, WorkerOptions } from "bullmq";
import type { Redis } from "ioredis";
import { readForeignText } from "../errors/foreign-values.ts";
import { ConfigurationError } from "../index.ts";
import { ownOption } from "../runtime/own-options.ts";
import { QueueError } from "./queue-error.ts";
import type { QueueConnection, QueueSettings, RedisClient } from "./queue-options.ts";
import { RunTable } from "./run-table.ts";
import { withoutCommand } from "./without-command.ts";

/** The parts of BullMQ that a queue uses. */
interface BullMq {
  readonly Queue: new (name: string, options: QueueOptions) => Queue;
  readonly Worker: new (
    name: string,
    process: NonNullable<ConstructorParameters<typeof Worker>[1]>,
    options: WorkerOptions,
  ) => Worker;
  readonly UnrecoverableError: typeof UnrecoverableError;
  readonly WaitingError: typeof WaitingError;
}

/** A queue with a checked connection. */
export interface OpenQueue {
  readonly bullmq: BullMq;
  readonly redis: Redis;
  readonly queue: Queue;
  readonly table: RunTable;
}

/**
 * Opens a queue in Redis or Valkey, and checks that Redis does not evict jobs.
 *
 * @throws {ConfigurationError} if a package is missing, or Redis may evict jobs
 * @throws {QueueError} if Redis cannot be reached, is too old, does not respond or rejects the password
 */
export async function openQueue({
  connection,
  name,
  prefix,
  keepFailedForMs,
}: QueueSettings): Promise<OpenQueue> {
  const [bullmq, ioredis] = await Promise.all([
    load("bullmq", () => import("bullmq")),
    load("ioredis", () => import("ioredis")),
  ]);
  const redis = createClient(connection, ioredis.Redis);
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
    const policy = /^maxmemory_policy:(.*?)\r?$/m.exec(await redis.info("memory"))?.[1];
    if (policy !== undefined && policy !== "noeviction") {
      throw new ConfigurationError(
        `Redis at ${where} may delete waiting jobs: its \`maxmemory-policy\` is ${JSON.stringify(policy)}. Set it to noeviction.`,
      );
    }
    const removeOnFail = { age: Math.ceil(keepFailedForMs / 1000) };
    const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail, stackTraceLimit: 0 };
    const queue = new bullmq.Queue(name, { connection: redis, prefix, defaultJobOptions });
    // The connection has its own listener.
    queue.on("error", () => {});
    await queue.waitUntilReady();
    return { bullmq, redis, queue, table: new RunTable(redis, `${prefix}:${name}`) };
  } catch (error) {
    redis.disconnect();
    if (ConfigurationError.is(error)) throw error;
    throw connectionError(where, lastError ?? error);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates an independent connection with the same settings. */
export function anotherConnection(redis: Redis): Redis {
  const another = redis.duplicate({ lazyConnect: false });
  another.on("error", () => {});
  return another;
}

/** Closes a connection. Waiting commands reject. */
export function disconnect(redis: Redis): void {
  // Between two attempts to connect, ioredis would leave them waiting.
  if (redis.status === "reconnecting") redis.connect().catch(() => {});
  redis.disconnect();
}

/** Commands wait while Redis is unavailable, and are sent when it is back. */
const patient = { maxRetriesPerRequest: null, lazyConnect: true, keyPrefix: "" } as const;

function createClient(connection: QueueConnection, RedisClass: typeof Redis): Redis {
  if (typeof connection === "string" || connection instanceof URL) {
    return new RedisClass(checkUrl(String(connection)), patient);
  }
  if (typeof connection !== "object" || connection === null) {
    throw new ConfigurationError(
      "`connection` is required: pass a URL such as redis://localhost:6379, ioredis options, or an ioredis client.",
    );
  }
  if (ownOption(connection as RedisClient, "duplicate")) {
    return (connection as RedisClient).duplicate(patient) as Redis;
  }
  return new RedisClass({ ...connection, ...patient });
}

/** @throws {ConfigurationError} without the URL, which may contain a password */
function checkUrl(text: string): string {
  if (URL.canParse(text) && /^rediss?:/.test(text)) return text;
  throw new ConfigurationError(
    "The queue URL is not a Redis URL. Use redis://host:6379, or rediss://user:password@host:6379 with TLS.",
  );
}

/** `localhost:6379`, without user and password. */
function addressOf({ options }: Redis): string {
  return options.path ?? `${options.host ?? "localhost"}:${options.port ?? 6379}`;
}

function connectionError(where: string, error: unknown): QueueError {
  const message = readForeignText(error, "message") ?? "";
  const code = readForeignText(error, "code");
  const isRefusal = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/.test(message);
  const text = isRefusal
    ? `Redis at ${where} rejects the user name or the password. Check the queue URL.`
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
