import type { Redis } from "ioredis";
import {
  type Begun,
  type Recorded,
  type Registered,
  type RunScripts,
  withRunScripts,
} from "./run-scripts.ts";

/** The counts of a run, read from its sets, and what is known about its `add` calls. */
export interface RunCounts {
  readonly total: number;
  readonly fulfilled: number;
  readonly rejected: number;
  readonly cancelled: number;
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

/**
 * The runs of a queue and their jobs. A run has a set of all jobs (with the digests of their inputs), one of finished jobs and one
 * of failed jobs. Counts are the sizes of these sets, so they cannot differ from them. A run exists as long as its own record does:
 * a removal deletes it first, and the name of the run last.
 */
export class RunRecords {
  readonly #redis: RunScripts;
  /** The prefix of the queue's keys, as in BullMQ: `bull:payslips:`. */
  readonly #base: string;

  constructor(redis: Redis, base: string) {
    this.#redis = withRunScripts(redis);
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
    const [fields, total, fulfilled, rejected, cancelled, [seconds]] = await Promise.all([
      this.#redis.hgetall(this.#key(id)),
      this.#redis.hlen(this.#key(id, "jobs")),
      this.#redis.scard(this.#key(id, "done")),
      this.#redis.hlen(this.#key(id, "failed")),
      this.#redis.scard(this.#key(id, "cancelled")),
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
      ...{ total, fulfilled, rejected, cancelled },
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
    const keys = this.#keys(id, "", "jobs", "done", "failed", "cancelled");
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
    const keys = [...this.#keys(id, "", "jobs", "done", "failed", "storing", "cancelled"), this.paceKey];
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
    const keys = this.#keys(id, "", "jobs", "done", "failed", "storing", "cancelled");
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

  /** Cancels jobs, except those that have finished meanwhile. They stay cancelled until they are added again. */
  async cancelJobs(id: string, digests: readonly string[]): Promise<void> {
    await this.#redis.cancelJobs(...this.#keys(id, "done", "failed", "cancelled"), ...digests);
  }

  /** Yields the digests of the jobs of a run that are neither stored nor failed nor cancelled, at least once each. */
  async *pending(id: string): AsyncGenerator<string[], void, undefined> {
    for await (const digests of this.unfinished(id)) {
      if (digests.length === 0) continue;
      const [failures, cancelled] = await Promise.all([
        this.#redis.hmget(this.#key(id, "failed"), ...digests),
        this.#redis.smismember(this.#key(id, "cancelled"), ...digests),
      ]);
      yield digests.filter((_, at) => failures[at] === null && cancelled[at] === 0);
    }
  }

  /** Returns nothing if workers process the run, or it was removed. */
  async stateOf(id: string): Promise<RunState | undefined> {
    return ((await this.#redis.hget(this.#key(id), "state")) as RunState | null) ?? undefined;
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
    await this.#redis.unlink(...this.#keys(id, "jobs", "done", "failed", "places", "storing", "cancelled"));
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
