import type { Redis } from "ioredis";

/** The counts of a run. The total grows while jobs are added. */
export interface RunCounts {
  readonly total: number;
  readonly fulfilled: number;
  readonly rejected: number;
  /** Whether the last `add` has completed. */
  readonly isAdded: boolean;
}

/** The state of a job when it is added: new, known in a state, or known with different values. */
export type Registered = "new" | "waiting" | "done" | "rejected" | "replaces rejected" | "other values";

/** The state of a job when a worker begins it. */
export type Begun = "waiting" | "done" | "rejected" | "removed" | "place is taken";

/**
 * Registers jobs. The table has a field for each job: its state, `w`, `d` or `r`, and the digest of its input.
 * KEYS: table, counts. ARGV: the prefix of BullMQ's keys of this run, then for each job its digest and the digest of its input.
 */
const registerScript = `
local found = {}
for i = 2, #ARGV, 2 do
  local digest, input = ARGV[i], ARGV[i + 1]
  local known = redis.call("HGET", KEYS[1], digest)
  local state = known and string.sub(known, 1, 1)
  local result
  if not known or (state == "r" and redis.call("EXISTS", ARGV[1] .. digest) == 0) then
    redis.call("HSET", KEYS[1], digest, "w" .. input)
    redis.call("HINCRBY", KEYS[2], known and "rejected" or "total", known and -1 or 1)
    result = "new"
  elseif string.sub(known, 2) ~= input then
    result = state == "r" and "replaces rejected" or "other values"
  else
    result = ({ w = "waiting", d = "done", r = "rejected" })[state]
  end
  table.insert(found, result)
end
return found`;

/**
 * Begins a job. KEYS: table, pace. ARGV: the job's digest; the digest of the place of its document, or nothing. A place belongs
 * to the first job that claims it, so that no job replaces another job's document.
 */
const beginScript = `
local known = redis.call("HGET", KEYS[1], ARGV[1])
if not known then return "removed" end
if ARGV[2] ~= "" then
  redis.call("HSETNX", KEYS[1], "p" .. ARGV[2], ARGV[1])
  if redis.call("HGET", KEYS[1], "p" .. ARGV[2]) ~= ARGV[1] then return "place is taken" end
end
local state = string.sub(known, 1, 1)
if state ~= "d" then redis.call("HINCRBY", KEYS[2], "sent", 1) end
return ({ w = "waiting", d = "done", r = "rejected" })[state]`;

/**
 * Records the result of a job, once: a finished job stays finished. KEYS: table, counts, pace. ARGV: digest, new state.
 */
const settleScript = `
local known = redis.call("HGET", KEYS[1], ARGV[1])
if not known then return 0 end
local old = string.sub(known, 1, 1)
if old == "d" or old == ARGV[2] then return 0 end
redis.call("HSET", KEYS[1], ARGV[1], ARGV[2] .. string.sub(known, 2))
if old == "r" then redis.call("HINCRBY", KEYS[2], "rejected", -1) end
if ARGV[2] == "r" then redis.call("HINCRBY", KEYS[2], "rejected", 1) end
if ARGV[2] == "d" then
  redis.call("HINCRBY", KEYS[2], "fulfilled", 1)
  redis.call("HINCRBY", KEYS[3], "passed", 1)
end
return 1`;

interface Scripts {
  registerJobs(table: string, counts: string, prefix: string, ...jobs: string[]): Promise<Registered[]>;
  beginJob(table: string, pace: string, digest: string, place: string): Promise<Begun>;
  settleJob(
    table: string,
    counts: string,
    pace: string,
    digest: string,
    state: "w" | "d" | "r",
  ): Promise<0 | 1>;
}

/** The names and ids of the runs of a queue. */
export class RunTable {
  readonly #redis: Redis & Scripts;
  readonly #base: string;

  /** @param base - the prefix of the keys of the queue, as in BullMQ: `bull:payslips` */
  constructor(redis: Redis, base: string) {
    redis.defineCommand("registerJobs", { numberOfKeys: 2, lua: registerScript });
    redis.defineCommand("beginJob", { numberOfKeys: 2, lua: beginScript });
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

  /** Returns the id of a run. Creates the run if it does not exist. */
  async begin(run: string): Promise<string> {
    const id = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
    await this.#redis.hsetnx(this.#runsKey, run, id);
    return (await this.idOf(run)) as string;
  }

  async names(): Promise<string[]> {
    return (await this.#redis.hkeys(this.#runsKey)).sort();
  }

  async counts(id: string): Promise<RunCounts> {
    const { total = 0, fulfilled = 0, rejected = 0, added } = await this.#redis.hgetall(this.#countsKey(id));
    return {
      total: Number(total),
      fulfilled: Number(fulfilled),
      rejected: Number(rejected),
      isAdded: added === "1",
    };
  }

  async setAdded(id: string, isAdded: boolean): Promise<void> {
    await this.#redis.hset(this.#countsKey(id), "added", isAdded ? "1" : "0");
  }

  /** Registers jobs by the digests of their keys and inputs. */
  async register(
    id: string,
    jobs: readonly (readonly [digest: string, input: string])[],
  ): Promise<Registered[]> {
    if (jobs.length === 0) return [];
    const prefix = `${this.#base}:${id}-`;
    return this.#redis.registerJobs(this.#tableKey(id), this.#countsKey(id), prefix, ...jobs.flat());
  }

  /** Records that a worker begins a job. */
  async beginJob(id: string, digest: string, place = ""): Promise<Begun> {
    return this.#redis.beginJob(this.#tableKey(id), this.paceKey, digest, place);
  }

  /** Records the result of a job. Returns whether it is new. */
  async settle(id: string, digest: string, state: "waiting" | "done" | "rejected"): Promise<boolean> {
    const letter = state[0] as "w" | "d" | "r";
    return (
      (await this.#redis.settleJob(this.#tableKey(id), this.#countsKey(id), this.paceKey, digest, letter)) ===
      1
    );
  }

  /** Deletes the jobs of a run. Workers skip them from now on. */
  async clear(id: string): Promise<void> {
    await this.#redis.unlink(this.#tableKey(id), this.#countsKey(id));
  }

  /** Deletes the name of a run, and jobs that were added meanwhile. */
  async forget(run: string, id: string): Promise<void> {
    await this.#redis.hdel(this.#runsKey, run);
    await this.clear(id);
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
