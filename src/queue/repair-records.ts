import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { describeThrown, isInstance } from "../errors/foreign-values.ts";
import { isJsonObject } from "../json/json-value.ts";

/**
 * Whether an error of a BullMQ worker may come from a job whose record it cannot read. One worker
 * after another fetches such a job, and no worker can process it.
 */
export function mayBeOfRecord(error: unknown): boolean {
  const isRefusedByScript = /\bnot an integer\b/.test(describeThrown(error));
  return isInstance(error, SyntaxError) || isInstance(error, TypeError) || isRefusedByScript;
}

/** Replaces the records of active jobs that BullMQ cannot read, so that the next worker rejects these jobs. */
export async function repairRecords(queue: Queue, redis: Redis): Promise<void> {
  for (const id of await queue.getRanges(["active"], 0, -1)) {
    const key = queue.toKey(id);
    if (isReadable(await redis.hgetall(key))) continue;
    await redis.multi().hset(key, readable).hdel(key, "parent").exec();
  }
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
