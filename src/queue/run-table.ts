import type { Redis } from "ioredis";

/** The counts of a run. The total grows while jobs are being added. */
export interface RunCounts {
  readonly total: number;
  readonly fulfilled: number;
  readonly rejected: number;
  /** Whether no `add` is running, and the last one to end has completed. */
  readonly isAdded: boolean;
}

/** An `add` counts as killed if it was not renewed for this time. */
export const addLeaseMs = 30_000;

/** The state of a job when it is added: new, known in a state, or known with other values. */
export type Registered = "new" | "waiting" | "done" | "rejected" | "replaces rejected" | "other values";

/** The state of a job when a worker begins it. */
export type Begun =
  | "waiting"
  | "done"
  | "rejected"
  | "removed"
  | "place is taken"
  | "other values"
  | "another format";

/** A state that is recorded for a job: a job that cannot be read is rejected, too. */
export type RecordedState = "waiting" | "done" | "rejected" | "unreadable";

/** A job that a worker begins. */
interface BeginningJob {
  readonly format: string;
  /** The digest of its template and values. */
  readonly input: string;
  /** The digest of the place of its document, if it has one. */
  readonly place?: string | undefined;
}

/** Whether a result is the first of its job. */
export type Settled = "new" | "known" | "removed";

/**
 * Returns the id of a run, or nothing while it is being removed. Creates the run if it does not exist.
 * KEYS: the names of the runs. ARGV: name, id of a new run, prefix of the keys of counts.
 */
const beginScript = `
local id = redis.call("HGET", KEYS[1], ARGV[1])
if not id then
  redis.call("HSET", KEYS[1], ARGV[1], ARGV[2])
  redis.call("HSET", ARGV[3] .. ARGV[2], "total", 0)
  return ARGV[2]
end
return redis.call("EXISTS", ARGV[3] .. id) == 1 and id`;

/** Deletes the name of a run, unless a new run has it, and its table. KEYS: the names of the runs, table. ARGV: name, id. */
const forgetScript = `
if redis.call("HGET", KEYS[1], ARGV[1]) == ARGV[2] then redis.call("HDEL", KEYS[1], ARGV[1]) end
redis.call("UNLINK", KEYS[2])`;

/** The time of the server in milliseconds. */
const nowText = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Registers jobs, or returns nothing if the run was removed, and the format of the run if it is another one. The table has a field for each job: its state, `w`, `d`, `r` or `u`, and the digest of its input.
 * KEYS: table, counts. ARGV: the prefix of BullMQ's keys of this run, the format of the jobs, the id of the `add`, then for each job its digest and the digest of its input.
 */
const registerScript = `
if redis.call("EXISTS", KEYS[2]) == 0 then return false end
if redis.call("HSETNX", KEYS[2], "format", ARGV[2]) == 0 then
  local format = redis.call("HGET", KEYS[2], "format")
  if format ~= ARGV[2] then return format end
end${nowText}
redis.call("HSET", KEYS[2], "add:" .. ARGV[3], now)
local found = {}
for i = 4, #ARGV, 2 do
  local digest, input = ARGV[i], ARGV[i + 1]
  local known = redis.call("HGET", KEYS[1], digest)
  local state = known and string.sub(known, 1, 1)
  local result
  local isRejected = state == "r" or state == "u"
  if not known or (isRejected and redis.call("EXISTS", ARGV[1] .. digest) == 0) then
    redis.call("HSET", KEYS[1], digest, "w" .. input)
    redis.call("HINCRBY", KEYS[2], known and "rejected" or "total", known and -1 or 1)
    result = "new"
  elseif state == "u" or string.sub(known, 2) ~= input then
    result = isRejected and "replaces rejected" or "other values"
  else
    result = ({ w = "waiting", d = "done", r = "rejected" })[state]
  end
  table.insert(found, result)
end
return found`;

/** Ends an `add`, unless the run was removed. KEYS: counts. ARGV: the id of the `add`, whether it has completed. */
const endAddScript = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end${nowText}
redis.call("HDEL", KEYS[1], "add:" .. ARGV[1], "completed")
if ARGV[2] == "1" then redis.call("HSET", KEYS[1], "completed", now) end
return 1`;

/**
 * Begins a job. KEYS: table, pace, counts. ARGV: the job's digest, its format, the digest of its input; the digest of the place
 * of its document, or nothing. A place belongs to the first job that claims it, so that no job replaces the document of another.
 */
const beginJobScript = `
local known = redis.call("EXISTS", KEYS[3]) == 1 and redis.call("HGET", KEYS[1], ARGV[1])
if not known then return "removed" end
if redis.call("HGET", KEYS[3], "format") ~= ARGV[2] then return "another format" end
if string.sub(known, 2) ~= ARGV[3] then return "other values" end
if ARGV[4] ~= "" then
  redis.call("HSETNX", KEYS[1], "p" .. ARGV[4], ARGV[1])
  if redis.call("HGET", KEYS[1], "p" .. ARGV[4]) ~= ARGV[1] then return "place is taken" end
end
local state = string.sub(known, 1, 1)
if state ~= "d" then redis.call("HINCRBY", KEYS[2], "sent", 1) end
return ({ w = "waiting", d = "done" })[state] or "rejected"`;

/**
 * Records the result of a job, once: a finished job remains finished. KEYS: table, counts, pace. ARGV:
 * digest, new state.
 */
const settleScript = `
local known = redis.call("EXISTS", KEYS[2]) == 1 and redis.call("HGET", KEYS[1], ARGV[1])
if not known then return "removed" end
local old = string.sub(known, 1, 1)
if old == "d" or old == ARGV[2] then return "known" end
redis.call("HSET", KEYS[1], ARGV[1], ARGV[2] .. string.sub(known, 2))
local function isRejected(state) return state == "r" or state == "u" end
if isRejected(old) then redis.call("HINCRBY", KEYS[2], "rejected", -1) end
if isRejected(ARGV[2]) then redis.call("HINCRBY", KEYS[2], "rejected", 1) end
if ARGV[2] == "d" then
  redis.call("HINCRBY", KEYS[2], "fulfilled", 1)
  redis.call("HINCRBY", KEYS[3], "passed", 1)
end
return "new"`;

interface Scripts {
  beginRun(runs: string, run: string, id: string, prefix: string): Promise<string | null>;
  forgetRun(runs: string, table: string, run: string, id: string): Promise<null>;
  registerJobs(
    table: string,
    counts: string,
    prefix: string,
    format: string,
    addId: string,
    ...jobs: string[]
  ): Promise<Registered[] | string | null>;
  endAdd(counts: string, addId: string, isCompleted: 0 | 1): Promise<0 | 1>;
  beginJob(
    table: string,
    pace: string,
    counts: string,
    digest: string,
    format: string,
    input: string,
    place: string,
  ): Promise<Begun>;
  settleJob(table: string, counts: string, pace: string, digest: string, state: string): Promise<Settled>;
}

/** The runs of a queue and their jobs. A run exists as long as its counts do: a removal deletes them first, and its name last. */
export class RunTable {
  readonly #redis: Redis & Scripts;
  readonly #base: string;

  /** @param base - the prefix for the queue's keys, as in BullMQ: `bull:payslips` */
  constructor(redis: Redis, base: string) {
    redis.defineCommand("registerJobs", { numberOfKeys: 2, lua: registerScript });
    redis.defineCommand("endAdd", { numberOfKeys: 1, lua: endAddScript });
    redis.defineCommand("beginRun", { numberOfKeys: 1, lua: beginScript });
    redis.defineCommand("forgetRun", { numberOfKeys: 2, lua: forgetScript });
    redis.defineCommand("beginJob", { numberOfKeys: 3, lua: beginJobScript });
    redis.defineCommand("settleJob", { numberOfKeys: 3, lua: settleScript });
    this.#redis = redis as Redis & Scripts;
    this.#base = base;
  }

  /** The key of the counts for the pace of the workers. */
  get paceKey(): string {
    return `${this.#base}:pace`;
  }

  /** Returns the id of a run, which is the salt of its digests. */
  async idOf(run: string): Promise<string | undefined> {
    return (await this.#redis.hget(this.#runsKey, run)) ?? undefined;
  }

  /** Returns the id of a run, or nothing while it is being removed. Creates the run if it does not exist. */
  async begin(run: string): Promise<string | undefined> {
    const id = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
    return (await this.#redis.beginRun(this.#runsKey, run, id, this.#countsKey(""))) ?? undefined;
  }

  /** Returns the format of a run, or nothing if it was removed. */
  async formatOf(id: string): Promise<string | undefined> {
    const [total, format] = await this.#redis.hmget(this.#countsKey(id), "total", "format");
    return total == null ? undefined : (format ?? "");
  }

  /** Whether a run exists and is not being removed. */
  async has(id: string): Promise<boolean> {
    return (await this.#redis.exists(this.#countsKey(id))) === 1;
  }

  async names(): Promise<string[]> {
    return (await this.#redis.hkeys(this.#runsKey)).sort();
  }

  /** Returns nothing if the run was removed. */
  async counts(id: string): Promise<RunCounts | undefined> {
    const [fields, [seconds]] = await Promise.all([
      this.#redis.hgetall(this.#countsKey(id)),
      this.#redis.time(),
    ]);
    const { total, fulfilled = 0, rejected = 0, completed } = fields;
    if (total === undefined) return undefined;
    // A killed `add` leaves the time of its last renewal.
    const renewedAtMs = Math.max(
      0,
      ...Object.entries(fields).map(([field, value]) => (field.startsWith("add:") ? Number(value) : 0)),
    );
    const isAdding = renewedAtMs > Number(seconds) * 1000 - addLeaseMs;
    return {
      total: Number(total),
      fulfilled: Number(fulfilled),
      rejected: Number(rejected),
      isAdded: completed !== undefined && !isAdding && renewedAtMs <= Number(completed),
    };
  }

  /** Ends an `add`. Returns whether the run still exists. */
  async endAdd(id: string, addId: string, isCompleted: boolean): Promise<boolean> {
    return (await this.#redis.endAdd(this.#countsKey(id), addId, isCompleted ? 1 : 0)) === 1;
  }

  /**
   * Registers jobs by the digests of their keys and inputs, and renews their `add`. Returns nothing if the run
   * was removed, and the format of the run if it is another one.
   */
  async register(
    id: string,
    format: string,
    addId: string,
    jobs: readonly (readonly [digest: string, input: string])[],
  ): Promise<Registered[] | string | undefined> {
    const prefix = `${this.#base}:${id}-`;
    const keys = [this.#tableKey(id), this.#countsKey(id)] as const;
    return (await this.#redis.registerJobs(...keys, prefix, format, addId, ...jobs.flat())) ?? undefined;
  }

  /** Records that a worker begins a job, unless the run has it in another format or with other values. */
  async beginJob(id: string, digest: string, { format, input, place = "" }: BeginningJob): Promise<Begun> {
    const keys = [this.#tableKey(id), this.paceKey, this.#countsKey(id)] as const;
    return this.#redis.beginJob(...keys, digest, format, input, place);
  }

  /** Records the result of a job. */
  async settle(id: string, digest: string, state: RecordedState): Promise<Settled> {
    return this.#redis.settleJob(
      this.#tableKey(id),
      this.#countsKey(id),
      this.paceKey,
      digest,
      state.charAt(0),
    );
  }

  /** Begins to remove a run. Workers skip its jobs from now on, and no jobs are added. */
  async close(id: string): Promise<void> {
    await this.#redis.unlink(this.#countsKey(id));
  }

  /** Yields the digests of the unfinished jobs of a run, at least once each. */
  async *unfinished(id: string): AsyncGenerator<string[], void, undefined> {
    let cursor = "0";
    do {
      const [next, fields] = await this.#redis.hscan(this.#tableKey(id), cursor, "COUNT", 1000);
      // Other fields are the places of documents.
      yield fields.filter((_, at) => at % 2 === 0 && /^[wru].{12}$/.test(fields[at + 1] as string));
      cursor = next;
    } while (cursor !== "0");
  }

  /** Deletes the name and the table of a run. */
  async forget(run: string, id: string): Promise<void> {
    await this.#redis.forgetRun(this.#runsKey, this.#tableKey(id), run, id);
  }

  get #runsKey(): string {
    return `${this.#base}:runs`;
  }

  #countsKey(id: string): string {
    return `${this.#base}:run:${id}`;
  }

  #tableKey(id: string): string {
    return `${this.#base}:run:${id}:jobs`;
  }
}
