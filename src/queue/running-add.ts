import { QueueError } from "./queue-error.ts";
import { addLeaseMs, type Registered, type RunTable } from "./run-table.ts";

/** A running `add`. It renews its entry in Redis while it runs, and fails if its run is removed. */
export class RunningAdd {
  readonly runId: string;
  readonly #run: string;
  readonly #table: RunTable;
  readonly #id = crypto.randomUUID();
  #renewing: ReturnType<typeof setInterval> | undefined;

  private constructor(table: RunTable, run: string, runId: string) {
    this.runId = runId;
    this.#table = table;
    this.#run = run;
  }

  /** @throws {QueueError} (rejects) while the run is being removed */
  static async start(table: RunTable, run: string): Promise<RunningAdd> {
    const runId = await table.begin(run);
    if (runId === undefined) {
      throw new QueueError(
        `The run ${JSON.stringify(run)} is being removed. Add the jobs again later; if the removal was interrupted, remove the run again first.`,
      );
    }
    const adding = new RunningAdd(table, run, runId);
    await adding.register([]);
    adding.#renewing = setInterval(() => adding.register([]).catch(() => {}), addLeaseMs / 3);
    return adding;
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async register(jobs: Parameters<RunTable["register"]>[2]): Promise<Registered[]> {
    return (await this.#table.register(this.runId, this.#id, jobs)) ?? this.#removed();
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async check(): Promise<void> {
    if (!(await this.#table.has(this.runId))) this.#removed();
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async complete(): Promise<void> {
    clearInterval(this.#renewing);
    if (!(await this.#table.endAdd(this.runId, this.#id, true))) this.#removed();
  }

  /** Does not wait, because Redis may be unavailable. */
  fail(): void {
    clearInterval(this.#renewing);
    this.#table.endAdd(this.runId, this.#id, false).catch(() => {});
  }

  #removed(): never {
    throw new QueueError(
      `The run ${JSON.stringify(this.#run)} was removed while jobs were being added. Add them again to create a new run.`,
    );
  }
}
