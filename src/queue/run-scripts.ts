import type { Redis } from "ioredis";

/** The state of a job when it is added. */
export type Registered = "new" | "missing" | "waiting" | "done" | "failed" | "failing" | "other values";

/** The state of a job when a worker begins it. */
export type Begun =
  | "begun"
  | "done"
  | "removed"
  | "paused"
  | "cancelled"
  | "place is taken"
  | "other values"
  | "another format";

/** Whether a result is the first of its job. */
export type Recorded = "new" | "known" | "removed";

/** The time of the server in milliseconds, for scripts. */
export const nowText = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Whether BullMQ has a job in one of its lists, for scripts. */
export const isListedText = `
local function isListed(base, id)
  for _, set in ipairs({ "prioritized", "delayed", "failed" }) do
    if redis.call("ZSCORE", base .. set, id) then return true end
  end
  for _, list in ipairs({ "active", "wait", "paused" }) do
    local kind = redis.call("TYPE", base .. list).ok
    if kind == "list" and redis.call("LPOS", base .. list, id) then return true end
  end
  return false
end`;

/** Returns the id of a run, or nothing while it is being removed. KEYS: runs. ARGV: name, id of a new run, prefix of runs. */
const beginRunScript = `
local id = redis.call("HGET", KEYS[1], ARGV[1])
if not id then
  redis.call("HSET", KEYS[1], ARGV[1], ARGV[2])
  redis.call("HSET", ARGV[3] .. ARGV[2], "name", ARGV[1])
  return ARGV[2]
end
return redis.call("EXISTS", ARGV[3] .. id) == 1 and id`;

/** Deletes the name of a run, unless a new run has it. KEYS: runs. ARGV: name, id. */
const forgetRunScript = `
if redis.call("HGET", KEYS[1], ARGV[1]) == ARGV[2] then redis.call("HDEL", KEYS[1], ARGV[1]) end`;

/**
 * Registers jobs and renews their `add`. Returns nothing if the run was removed, and the format of the run if it is another one.
 * Jobs whose records are gone or are in none of BullMQ's lists, for example after a power failure, are "missing".
 * KEYS: run, jobs, done, failed, cancelled. ARGV: base, id of the run, format, id of the `add`, then a digest and an input for each job.
 */
const registerScript = `${isListedText}${nowText}
if redis.call("EXISTS", KEYS[1]) == 0 then return false end
if redis.call("HSETNX", KEYS[1], "format", ARGV[3]) == 0 then
  local format = redis.call("HGET", KEYS[1], "format")
  if format ~= ARGV[3] then return format end
end
if redis.call("HGET", KEYS[1], "state") == "cancelled" then return "cancelled" end
redis.call("HSET", KEYS[1], "add:" .. ARGV[4], now)
local found, queued = {}, {}
for i = 5, #ARGV, 2 do
  local digest, input = ARGV[i], ARGV[i + 1]
  local id = ARGV[2] .. "-" .. digest
  local known = redis.call("HGET", KEYS[2], digest)
  local result = "new"
  if queued[digest] then
    result = known == input and "waiting" or "other values"
  elseif known then
    local failure = redis.call("HGET", KEYS[4], digest)
    if redis.call("SISMEMBER", KEYS[3], digest) == 1 then
      result = known == input and "done" or "other values"
    elseif failure then
      local isFailed = redis.call("ZSCORE", ARGV[1] .. "failed", id)
      local isSame = known == input and string.sub(failure, 1, 1) ~= "u"
      if redis.call("EXISTS", ARGV[1] .. id) == 0 then
        redis.call("HDEL", KEYS[4], digest)
      elseif isSame then
        result = "failed"
      elseif isFailed then
        redis.call("ZREM", ARGV[1] .. "failed", id)
        redis.call("UNLINK", ARGV[1] .. id)
        redis.call("HDEL", KEYS[4], digest)
      else
        result = "failing"
      end
    elseif known ~= input then
      result = "other values"
    elseif isListed(ARGV[1], id) and redis.call("EXISTS", ARGV[1] .. id) == 1 then
      result = "waiting"
    else
      redis.call("UNLINK", ARGV[1] .. id)
      result = "missing"
    end
  end
  if result == "new" then redis.call("HSET", KEYS[2], digest, input) end
  if result == "new" or result == "missing" then
    queued[digest] = true
    redis.call("SREM", KEYS[5], digest)
  end
  table.insert(found, result)
end
return found`;

/** Ends an `add`, unless the run was removed. KEYS: run. ARGV: id of the `add`, why it failed, or nothing. */
const endAddScript = `${nowText}
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("HDEL", KEYS[1], "add:" .. ARGV[1], "completed", "addError")
if ARGV[2] == "" then redis.call("HSET", KEYS[1], "completed", now)
else redis.call("HSET", KEYS[1], "addError", ARGV[2]) end
return 1`;

/**
 * Begins a job, and counts its request. A place belongs to the first job that claims it, so that no job replaces the document of another.
 * KEYS: run, jobs, done, failed, places, pace. ARGV: digest, format, input, digest of the place or nothing.
 */
const beginJobScript = `
local epoch, passed = unpack(redis.call("HMGET", KEYS[6], "epoch", "passed"))
local function begun(state) return { state, tonumber(epoch or 1), tonumber(passed or 0) } end
local format, state = unpack(redis.call("HMGET", KEYS[1], "format", "state"))
local known = redis.call("HGET", KEYS[2], ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 or not known then return begun("removed") end
if format ~= ARGV[2] then return begun("another format") end
if known ~= ARGV[3] then return begun("other values") end
if redis.call("SISMEMBER", KEYS[3], ARGV[1]) == 1 then return begun("done") end
if state then return begun(state) end
if ARGV[4] ~= "" then
  redis.call("HSETNX", KEYS[5], ARGV[4], ARGV[1])
  if redis.call("HGET", KEYS[5], ARGV[4]) ~= ARGV[1] then return begun("place is taken") end
end
redis.call("HDEL", KEYS[4], ARGV[1])
redis.call("HINCRBY", KEYS[6], "begun", 1)
return begun("begun")`;

/** Whether a document may be stored: its run exists, and has the job with the same input. KEYS: run, jobs, storing. ARGV: digest, input. */
const mayStoreScript = `${nowText}
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HGET", KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call("ZADD", KEYS[3], now, ARGV[1])
return 1`;

/** Cancels jobs that are not finished. KEYS: done, failed, cancelled. ARGV: digests. */
const cancelJobsScript = `
for _, digest in ipairs(ARGV) do
  if redis.call("SISMEMBER", KEYS[1], digest) == 0 and redis.call("HEXISTS", KEYS[2], digest) == 0 then
    redis.call("SADD", KEYS[3], digest)
  end
end`;

/**
 * Records a stored document, once, and counts the success. A job in flight may have been cancelled meanwhile.
 * KEYS: run, jobs, done, failed, storing, cancelled, pace. ARGV: digest, input.
 */
const fulfilScript = `
redis.call("ZREM", KEYS[5], ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HGET", KEYS[2], ARGV[1]) ~= ARGV[2] then return "removed" end
redis.call("HDEL", KEYS[4], ARGV[1])
redis.call("SREM", KEYS[6], ARGV[1])
redis.call("HINCRBY", KEYS[7], "passed", 1)
return redis.call("SADD", KEYS[3], ARGV[1]) == 1 and "new" or "known"`;

/**
 * Records a failure, unless the document is stored. Counts the failures of a kind.
 * KEYS: run, jobs, done, failed, storing, cancelled. ARGV: digest, failure, kind or nothing.
 */
const rejectScript = `
redis.call("ZREM", KEYS[5], ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 or not redis.call("HGET", KEYS[2], ARGV[1]) then return { "removed", 0, 0 } end
local stored = redis.call("SCARD", KEYS[3])
if redis.call("SISMEMBER", KEYS[3], ARGV[1]) == 1 then return { "known", 0, stored } end
local isNew = redis.call("HSET", KEYS[4], ARGV[1], ARGV[2])
redis.call("SREM", KEYS[6], ARGV[1])
local count = ARGV[3] ~= "" and redis.call("HINCRBY", KEYS[1], "refused:" .. ARGV[3], isNew) or 0
return { isNew == 1 and "new" or "known", count, stored }`;

/** A connection with the scripts of {@link withRunScripts}. */
export interface RunScripts extends Redis {
  beginRun(runs: string, run: string, id: string, prefix: string): Promise<string | null>;
  forgetRun(runs: string, run: string, id: string): Promise<null>;
  registerJobs(...args: readonly string[]): Promise<Registered[] | string | null>;
  cancelJobs(...args: readonly string[]): Promise<null>;
  endAdd(run: string, addId: string, error: string): Promise<0 | 1>;
  beginJob(...args: readonly string[]): Promise<[state: Begun, epoch: number, passed: number]>;
  mayStore(...args: readonly string[]): Promise<0 | 1>;
  fulfilJob(...args: readonly string[]): Promise<Recorded>;
  rejectJob(...args: readonly string[]): Promise<[recorded: Recorded, count: number, stored: number]>;
}

/** Adds the scripts of runs to a connection. Redis runs each of them as one step. */
export function withRunScripts(redis: Redis): RunScripts {
  const scripts: Record<string, readonly [keys: number, lua: string]> = {
    beginRun: [1, beginRunScript],
    forgetRun: [1, forgetRunScript],
    registerJobs: [5, registerScript],
    cancelJobs: [3, cancelJobsScript],
    endAdd: [1, endAddScript],
    beginJob: [6, beginJobScript],
    mayStore: [3, mayStoreScript],
    fulfilJob: [7, fulfilScript],
    rejectJob: [6, rejectScript],
  };
  for (const [name, [numberOfKeys, lua]] of Object.entries(scripts)) {
    redis.defineCommand(name, { numberOfKeys, lua });
  }
  return redis as RunScripts;
}
