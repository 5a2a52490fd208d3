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

/** The counts of a run, read from its sets, and what is known about its `add` calls. */
export interface RunCounts {
  readonly total: number;
  readonly fulfilled: number;
  readonly rejected: number;
  /** The number of `add` calls that are in progress. */
  readonly adding: number;
  /** Whether the last `add` call to end has completed. */
  readonly isCompleted: boolean;
  /** Why the last `add` call did not complete. */
  readonly addError: string | undefined;
  readonly state: RunState | undefined;
  /** Why the run is paused. */
  readonly reason: string | undefined;
}

/** The state of a run that workers do not process. */
export type RunState = "paused" | "cancelled";

/** A job that a worker begins. */
interface BeginningJob {
  readonly format: string;
  /** The digest of its template and values. */
  readonly input: string;
  /** The digest of the place of its document, if it has one. */
  readonly place?: string | undefined;
}

/** An `add` call counts as interrupted if it was not renewed for this time. */
export const addLeaseMs = 30_000;

/** A worker that stores a document for longer than this time counts as dead. */
const storingMs = 120_000;

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
 * KEYS: run, jobs, done, failed. ARGV: base, id of the run, format, id of the `add`, then a digest and an input for each job.
 */
const registerScript = `${isListedText}${nowText}
if redis.call("EXISTS", KEYS[1]) == 0 then return false end
if redis.call("HSETNX", KEYS[1], "format", ARGV[3]) == 0 then
  local format = redis.call("HGET", KEYS[1], "format")
  if format ~= ARGV[3] then return format end
end
if redis.call("HGET", KEYS[1], "state") == "cancelled" then return "cancelled" end
redis.call("HSET", KEYS[1], "add:" .. ARGV[4], now)
local found = {}
for i = 5, #ARGV, 2 do
  local digest, input = ARGV[i], ARGV[i + 1]
  local id = ARGV[2] .. "-" .. digest
  local known = redis.call("HGET", KEYS[2], digest)
  local result = "new"
  if known then
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

/** Records a stored document, once, and counts the success. KEYS: run, jobs, done, failed, storing, pace. ARGV: digest, input. */
const fulfilScript = `
redis.call("ZREM", KEYS[5], ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HGET", KEYS[2], ARGV[1]) ~= ARGV[2] then return "removed" end
redis.call("HDEL", KEYS[4], ARGV[1])
redis.call("HINCRBY", KEYS[6], "passed", 1)
return redis.call("SADD", KEYS[3], ARGV[1]) == 1 and "new" or "known"`;

/**
 * Records a failure, unless the document is stored. Counts the failures of a kind.
 * KEYS: run, jobs, done, failed, storing. ARGV: digest, failure, kind or nothing.
 */
const rejectScript = `
redis.call("ZREM", KEYS[5], ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 or not redis.call("HGET", KEYS[2], ARGV[1]) then return { "removed", 0, 0 } end
local stored = redis.call("SCARD", KEYS[3])
if redis.call("SISMEMBER", KEYS[3], ARGV[1]) == 1 then return { "known", 0, stored } end
local isNew = redis.call("HSET", KEYS[4], ARGV[1], ARGV[2])
local count = ARGV[3] ~= "" and redis.call("HINCRBY", KEYS[1], "refused:" .. ARGV[3], isNew) or 0
return { isNew == 1 and "new" or "known", count, stored }`;

interface Scripts {
  beginRun(runs: string, run: string, id: string, prefix: string): Promise<string | null>;
  forgetRun(runs: string, run: string, id: string): Promise<null>;
  registerJobs(...args: readonly string[]): Promise<Registered[] | string | null>;
  endAdd(run: string, addId: string, error: string): Promise<0 | 1>;
  beginJob(...args: readonly string[]): Promise<[state: Begun, epoch: number, passed: number]>;
  mayStore(...args: readonly string[]): Promise<0 | 1>;
  fulfilJob(...args: readonly string[]): Promise<Recorded>;
  rejectJob(...args: readonly string[]): Promise<[recorded: Recorded, count: number, stored: number]>;
}

/**
 * The runs of a queue and their jobs. A run has a set of all jobs (with the digests of their inputs), one of finished jobs and one
 * of failed jobs. Counts are the sizes of these sets, so they cannot differ from them. A run exists as long as its own record does:
 * a removal deletes it first, and the name of the run last.
 */
export class RunRecords {
  readonly #redis: Redis & Scripts;
  /** The prefix of the queue's keys, as in BullMQ: `bull:payslips:`. */
  readonly #base: string;

  constructor(redis: Redis, base: string) {
    const scripts: Record<string, readonly [keys: number, lua: string]> = {
      beginRun: [1, beginRunScript],
      forgetRun: [1, forgetRunScript],
      registerJobs: [4, registerScript],
      endAdd: [1, endAddScript],
      beginJob: [6, beginJobScript],
      mayStore: [3, mayStoreScript],
      fulfilJob: [6, fulfilScript],
      rejectJob: [5, rejectScript],
    };
    for (const [name, [numberOfKeys, lua]] of Object.entries(scripts)) {
      redis.defineCommand(name, { numberOfKeys, lua });
    }
    this.#redis = redis as Redis & Scripts;
    this.#base = base;
  }

  /** Returns the id of a run, which is the salt of its digests. */
  async idOf(run: string): Promise<string | undefined> {
    return (await this.#redis.hget(this.#runsKey, run)) ?? undefined;
  }

  /** Returns the id of a run, or nothing while it is being removed. Creates the run if it does not exist. */
  async begin(run: string): Promise<string | undefined> {
    const id = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
    return (await this.#redis.beginRun(this.#runsKey, run, id, this.#key(""))) ?? undefined;
  }

  /** Returns the format of a run, or nothing if it was removed. */
  async formatOf(id: string): Promise<string | undefined> {
    const [name, format] = await this.#redis.hmget(this.#key(id), "name", "format");
    return name == null ? undefined : (format ?? "");
  }

  /** Whether a run exists and is not being removed. */
  async has(id: string): Promise<boolean> {
    return (await this.#redis.exists(this.#key(id))) === 1;
  }

  async names(): Promise<string[]> {
    return (await this.#redis.hkeys(this.#runsKey)).sort();
  }

  /** Returns nothing if the run was removed. */
  async counts(id: string): Promise<RunCounts | undefined> {
    const [fields, total, fulfilled, rejected, [seconds]] = await Promise.all([
      this.#redis.hgetall(this.#key(id)),
      this.#redis.hlen(this.#key(id, "jobs")),
      this.#redis.scard(this.#key(id, "done")),
      this.#redis.hlen(this.#key(id, "failed")),
      this.#redis.time(),
    ]);
    const { name, completed = 0, addError, state, reason } = fields;
    if (name === undefined) return undefined;
    const renewedAtMs = Object.entries(fields).flatMap(([field, value]) =>
      field.startsWith("add:") ? [Number(value)] : [],
    );
    const living = renewedAtMs.filter((atMs) => atMs > Number(seconds) * 1000 - addLeaseMs);
    // An interrupted `add` leaves the time of its last renewal.
    const isInterrupted = renewedAtMs.length > living.length && Math.max(...renewedAtMs) > Number(completed);
    const interrupted =
      "the last `add` call ended without a result, because its process was killed or lost Redis";
    return {
      ...{ total, fulfilled, rejected },
      adding: living.length,
      isCompleted: completed !== 0 && !isInterrupted,
      addError: living.length > 0 ? undefined : (addError ?? (isInterrupted ? interrupted : undefined)),
      state: state as RunState | undefined,
      reason,
    };
  }

  /** Ends an `add` call. Returns whether the run still exists. */
  async endAdd(id: string, addId: string, error = ""): Promise<boolean> {
    return (await this.#redis.endAdd(this.#key(id), addId, error)) === 1;
  }

  /**
   * Registers jobs by the digests of their keys and inputs, and renews their `add`. Returns nothing if the run
   * was removed, and otherwise a text if the jobs were not registered: `"cancelled"`, or the format of the run.
   */
  async register(
    id: string,
    format: string,
    addId: string,
    jobs: readonly (readonly [digest: string, input: string])[],
  ): Promise<Registered[] | string | undefined> {
    const keys = this.#keys(id, "", "jobs", "done", "failed");
    return (
      (await this.#redis.registerJobs(...keys, this.#base, id, format, addId, ...jobs.flat())) ?? undefined
    );
  }

  /** Records that a worker begins a job, unless the run has it in another format or with other values. */
  async beginJob(
    id: string,
    digest: string,
    { format, input, place = "" }: BeginningJob,
  ): Promise<{ readonly state: Begun; readonly epoch: number; readonly passed: number }> {
    const keys = [...this.#keys(id, "", "jobs", "done", "failed", "places"), this.paceKey];
    const [state, epoch, passed] = await this.#redis.beginJob(...keys, digest, format, input, place);
    return { state, epoch, passed };
  }

  /** Asks immediately before a document is stored whether its run still has the job with the same input. */
  async mayStore(id: string, digest: string, input: string): Promise<boolean> {
    return (await this.#redis.mayStore(...this.#keys(id, "", "jobs", "storing"), digest, input)) === 1;
  }

  /** Records a stored document. */
  async fulfil(id: string, digest: string, input: string): Promise<Recorded> {
    const keys = [...this.#keys(id, "", "jobs", "done", "failed", "storing"), this.paceKey];
    return this.#redis.fulfilJob(...keys, digest, input);
  }

  /**
   * Records a failure. Returns the number of failures of this kind, and the number of stored documents.
   *
   * @param failure - begins with `u` if the job cannot be read, otherwise with `r`
   */
  async reject(
    id: string,
    digest: string,
    failure: string,
    kind = "",
  ): Promise<{ readonly recorded: Recorded; readonly count: number; readonly stored: number }> {
    const keys = this.#keys(id, "", "jobs", "done", "failed", "storing");
    const [recorded, count, stored] = await this.#redis.rejectJob(...keys, digest, failure, kind);
    return { recorded, count, stored };
  }

  /** Yields the failures of a run by the digests of their jobs. */
  async *failures(id: string): AsyncGenerator<Map<string, string>, void, undefined> {
    for await (const fields of this.#scan(this.#key(id, "failed"))) yield new Map(pairsOf(fields));
  }

  /** Deletes the failure of a job that is retried. */
  async forgetFailure(id: string, digest: string): Promise<void> {
    await this.#redis.hdel(this.#key(id, "failed"), digest);
  }

  /** Yields the digests of the jobs of a run whose documents are not stored, at least once each. */
  async *unfinished(id: string): AsyncGenerator<string[], void, undefined> {
    for await (const fields of this.#scan(this.#key(id, "jobs"))) {
      const digests = pairsOf(fields).map(([digest]) => digest);
      if (digests.length === 0) continue;
      const done = await this.#redis.smismember(this.#key(id, "done"), ...digests);
      yield digests.filter((_, at) => done[at] === 0);
    }
  }

  /** Yields the digests of the jobs of a run that are neither stored nor failed, at least once each. */
  async *pending(id: string): AsyncGenerator<string[], void, undefined> {
    for await (const digests of this.unfinished(id)) {
      if (digests.length === 0) continue;
      const failures = await this.#redis.hmget(this.#key(id, "failed"), ...digests);
      yield digests.filter((_, at) => failures[at] === null);
    }
  }

  /** Sets the state of a run; nothing means that workers process it. Returns whether the run exists. */
  async setState(id: string, state: RunState | undefined, reason = ""): Promise<boolean> {
    if (!(await this.has(id))) return false;
    const key = this.#key(id);
    if (state) await this.#redis.hset(key, { state, reason });
    else await this.#redis.hdel(key, "state", "reason", ...refusalFields);
    return true;
  }

  /** Begins to remove a run. Workers skip its jobs from now on, and no jobs are added. */
  async close(id: string): Promise<void> {
    await this.#redis.unlink(this.#key(id));
  }

  /** The number of documents that workers are storing at this moment. */
  async storing(id: string): Promise<number> {
    const [seconds] = await this.#redis.time();
    return this.#redis.zcount(this.#key(id, "storing"), Number(seconds) * 1000 - storingMs, "+inf");
  }

  /** Deletes the name and the sets of a run. */
  async forget(run: string, id: string): Promise<void> {
    await this.#redis.unlink(...this.#keys(id, "jobs", "done", "failed", "places", "storing"));
    await this.#redis.forgetRun(this.#runsKey, run, id);
  }

  /** The key of the counts and limits of the workers. */
  get paceKey(): string {
    return `${this.#base}pace`;
  }

  get #runsKey(): string {
    return `${this.#base}runs`;
  }

  #key(id: string, what = ""): string {
    return `${this.#base}run:${id}${what && ":"}${what}`;
  }

  #keys(id: string, ...parts: readonly string[]): string[] {
    return parts.map((part) => this.#key(id, part));
  }

  async *#scan(key: string): AsyncGenerator<string[], void, undefined> {
    let cursor = "0";
    do {
      const [next, fields] = await this.#redis.hscan(key, cursor, "COUNT", 1000);
      yield fields;
      cursor = next;
    } while (cursor !== "0");
  }
}

const refusalFields = ["403", "404", "422"].map((status) => `refused:${status}`);

function pairsOf(fields: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < fields.length; at += 2) pairs.push([fields[at] as string, fields[at + 1] as string]);
  return pairs;
}
