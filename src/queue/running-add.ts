import { QueueError } from "./queue-error.ts";
import type { JobCodec, RunReference } from "./queued-job.ts";
import { unusableRun } from "./read-job.ts";
import { addLeaseMs, type Registered, type RunTable } from "./run-table.ts";

const unsealedRun = "was added without a `sealKey`. Use another run name for sealed jobs";

/** A running `add`. It renews its entry in Redis while it runs, and fails if its run is removed. */
export class RunningAdd {
  readonly run: RunReference;
  readonly #table: RunTable;
  readonly #codec: JobCodec;
  readonly #id = crypto.randomUUID();
  #renewing: ReturnType<typeof setInterval> | undefined;

  private constructor(table: RunTable, codec: JobCodec, run: RunReference) {
    this.run = run;
    this.#table = table;
    this.#codec = codec;
  }

  /** @throws {QueueError} (rejects) while the run is being removed, or if it was added with another key */
  static async start(table: RunTable, codec: JobCodec, name: string): Promise<RunningAdd> {
    const id = await table.begin(name);
    if (id === undefined) {
      throw new QueueError(
        `The run ${JSON.stringify(name)} is being removed. Add the jobs again later; if the removal was interrupted, remove the run again first.`,
      );
    }
    const adding = new RunningAdd(table, codec, { name, id });
    await adding.register([]);
    adding.#renewing = setInterval(() => adding.register([]).catch(() => {}), addLeaseMs / 3);
    return adding;
  }

  /** @throws {QueueError} (rejects) if the run was removed, or was added with another key */
  async register(jobs: Parameters<RunTable["register"]>[3]): Promise<Registered[]> {
    const format = await this.#codec.formatOf(this.run);
    const found = (await this.#table.register(this.run.id, format, this.#id, jobs)) ?? this.#removed();
    if (typeof found !== "string") return found;
    // In another format, the same jobs would have other digests, and would count as new.
    const objection = (await this.#codec.objectionTo(this.run, found)) ?? unsealedRun;
    throw unusableRun(this.run, objection);
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async check(): Promise<void> {
    if (!(await this.#table.has(this.run.id))) this.#removed();
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async complete(): Promise<void> {
    clearInterval(this.#renewing);
    if (!(await this.#table.endAdd(this.run.id, this.#id, true))) this.#removed();
  }

  /** Does not wait, because Redis may be unavailable. */
  fail(): void {
    clearInterval(this.#renewing);
    this.#table.endAdd(this.run.id, this.#id, false).catch(() => {});
  }

  #removed(): never {
    throw new QueueError(
      `The run ${JSON.stringify(this.run.name)} was removed while jobs were being added. Add them again to create a new run.`,
    );
  }
}
