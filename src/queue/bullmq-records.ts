import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { describeThrown, isInstance } from "../errors/foreign-values.ts";
import { isJsonObject } from "../json/json-value.ts";
import { isListedText } from "./run-scripts.ts";

/** Removes jobs, except those that a worker is processing. ARGV: base, ids. */
const removeScript = `
local base = ARGV[1]
local waiting = redis.call("TYPE", base .. "wait").ok == "list"
for i = 2, #ARGV do
  local id = ARGV[i]
  if redis.call("EXISTS", base .. id .. ":lock") == 0 then
    for _, set in ipairs({ "prioritized", "delayed", "failed" }) do redis.call("ZREM", base .. set, id) end
    redis.call("LREM", base .. "active", 0, id)
    if waiting then redis.call("LREM", base .. "wait", 0, id) end
    redis.call("UNLINK", base .. id, base .. id .. ":logs")
  end
end`;

/** Moves waiting jobs to the delayed ones, and remembers the times of delayed jobs. ARGV: base, time in milliseconds, ids. */
const holdScript = `
local base, held = ARGV[1], ARGV[2] * 0x1000
for i = 3, #ARGV do
  local id = ARGV[i]
  local score = redis.call("ZSCORE", base .. "delayed", id)
  if score and tonumber(score) < held and redis.call("EXISTS", base .. id) == 1 then
    redis.call("HSET", base .. id, "heldFrom", score)
  end
  if redis.call("ZREM", base .. "prioritized", id) == 1 or score then
    redis.call("ZADD", base .. "delayed", held, id)
  end
end`;

/** Queues a job. */
const enqueueText = `
local function enqueue(base, id)
  local priority = tonumber(redis.call("HGET", base .. id, "priority")) or 1
  redis.call("ZADD", base .. "prioritized", priority * 0x100000000, id)
  redis.call("ZADD", base .. "marker", 0, "0")
end`;

/** Queues jobs that were held, or delays them until their earlier times. ARGV: base, the time until which they are held, ids. */
const releaseScript = `${enqueueText}
local base, held = ARGV[1], ARGV[2] * 0x1000
for i = 3, #ARGV do
  local id = ARGV[i]
  if tonumber(redis.call("ZSCORE", base .. "delayed", id) or 0) >= held then
    local score = redis.call("HGET", base .. id, "heldFrom")
    if score then
      redis.call("HDEL", base .. id, "heldFrom")
      redis.call("ZADD", base .. "delayed", score, id)
    else
      redis.call("ZREM", base .. "delayed", id)
      if redis.call("EXISTS", base .. id) == 1 then redis.call("HSET", base .. id, "delay", 0) end
      enqueue(base, id)
    end
  end
end
local first = redis.call("ZRANGE", base .. "delayed", 0, 0, "WITHSCORES")
if first[2] then redis.call("ZADD", base .. "marker", math.floor(first[2] / 0x1000), "1") end`;

/**
 * Finds jobs whose records are gone, and queues jobs again that are in none of BullMQ's lists. ARGV: base, ids. Returns the ids of the
 * first, and the number of the second.
 */
const repairScript = `${isListedText}${enqueueText}
local base, missing, queued = ARGV[1], {}, 0
for i = 2, #ARGV do
  local id = ARGV[i]
  if redis.call("EXISTS", base .. id) == 0 then
    table.insert(missing, id)
  elseif not isListed(base, id) then
    enqueue(base, id)
    queued = queued + 1
  end
end
return { missing, queued }`;

/** Workers of a held job wait until it is promoted. BullMQ cannot store times after 2039. */
const heldUntilMs = Date.UTC(2038, 0, 1);

/**
 * What BullMQ has no command for: actions on many jobs of one run at once, and records that were changed or lost. Redis runs each
 * script as one step. All keys of a queue are in the same slot of a cluster.
 */
export class BullMqRecords {
  readonly #queue: Queue;
  readonly #redis: Redis;

  constructor(queue: Queue, redis: Redis) {
    this.#queue = queue;
    this.#redis = redis;
  }

  /** Removes jobs, except those that a worker is processing. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.#run(removeScript, ids);
  }

  /** Keeps waiting jobs from workers until they are released. */
  async hold(ids: readonly string[]): Promise<void> {
    await this.#run(holdScript, [String(heldUntilMs), ...ids]);
  }

  /** Releases jobs that were held. Delayed jobs still begin at their times. Other jobs are not affected. */
  async release(ids: readonly string[]): Promise<void> {
    await this.#run(releaseScript, [String(heldUntilMs), ...ids]);
  }

  /** Queues jobs again that are in none of BullMQ's lists. Returns their number, and the ids of jobs without a record. */
  async repair(ids: readonly string[]): Promise<{ readonly missing: string[]; readonly queued: number }> {
    const [missing, queued] = (await this.#run(repairScript, ids)) as [string[], number];
    return { missing, queued };
  }

  /** The time until which a job of a paused run waits. */
  get heldUntilMs(): number {
    return heldUntilMs;
  }

  /** Replaces the records of active jobs that BullMQ cannot read, so that the next worker rejects these jobs. */
  async repairActive(): Promise<void> {
    for (const id of await this.#queue.getRanges(["active"], 0, -1)) {
      const key = this.#queue.toKey(id);
      if (isReadable(await this.#redis.hgetall(key))) continue;
      await this.#redis.multi().hset(key, readable).hdel(key, "parent").exec();
    }
  }

  async #run(script: string, args: readonly string[]): Promise<unknown> {
    // The key makes a cluster choose the node.
    return this.#redis.eval(script, 1, this.#queue.toKey("meta"), this.#queue.toKey(""), ...args);
  }
}

/**
 * Whether an error of a BullMQ worker may come from a job whose record it cannot read. One worker
 * after another fetches such a job, and no worker can process it.
 */
export function mayBeOfRecord(error: unknown): boolean {
  const isRefusedByScript = /\bnot an integer\b/.test(describeThrown(error));
  return isInstance(error, SyntaxError) || isInstance(error, TypeError) || isRefusedByScript;
}

/** The fields of a record that BullMQ parses. Data that is null is rejected. */
const readable = { data: "null", opts: "{}", progress: "0", ats: "0", atm: "0", stc: "0" };

function isReadable(record: Record<string, string>): boolean {
  const { data, opts, progress, parent, ats, atm, stc } = record;
  const isJson = [data, opts, progress, parent].every((text) => parse(text) !== undefined);
  const areIntegers = [ats, atm, stc].every((text) => text === undefined || /^\d+$/.test(text));
  return isJson && isJsonObject(parse(opts)) && areIntegers;
}

/** Returns an object for a missing field, as BullMQ does, and nothing for invalid JSON. */
function parse(text = "{}"): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
