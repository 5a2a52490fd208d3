import { QueueError } from "./queue-error.ts";
import type { Registered, RunTable } from "./run-table.ts";

/** An `add` that is running, and fails if its run is removed. */
export class RunningAdd {
  readonly runId: string;
  readonly #run: string;
  readonly #table: RunTable;

  private constructor(table: RunTable, run: string, runId: string) {
    this.runId = runId;
    this.#table = table;
    this.#run = run;
  }

  /** @throws {QueueError} (rejects) while the run is being removed */
  static async start(table: RunTable, run: string): Promise<RunningAdd> {
    const runId = await table.begin(run);
    if (runId !== undefined) {
      await table.setAdded(runId, false);
      return new RunningAdd(table, run, runId);
    }
    throw new QueueError(
      `The run ${JSON.stringify(run)} is being removed. Add the jobs again later; if the removal was interrupted, remove the run again first.`,
    );
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async register(jobs: Parameters<RunTable["register"]>[1]): Promise<Registered[]> {
    return (await this.#table.register(this.runId, jobs)) ?? this.#removed();
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async check(): Promise<void> {
    if (!(await this.#table.has(this.runId))) this.#removed();
  }

  #removed(): never {
    throw new QueueError(
      `The run ${JSON.stringify(this.#run)} was removed while jobs were added. Add them again to create a new run.`,
    );
  }
}
