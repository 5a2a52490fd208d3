import { isInstance, readForeignText } from "../errors/foreign-values.ts";
import { QueueError } from "./queue-error.ts";
import type { JobCodec, RunReference } from "./queued-job.ts";
import { unusableRun } from "./read-job.ts";
import { addLeaseMs, type RunRecords } from "./run-records.ts";

const unsealedRun = "was added without a `sealKey`. Use another run name for sealed jobs";

/** A running `add`. It renews its entry in Redis while it runs, and fails if its run is removed. */
export class RunningAdd {
  readonly run: RunReference;
  readonly #runs: RunRecords;
  readonly #codec: JobCodec;
  readonly #id = crypto.randomUUID();
  #renewing: ReturnType<typeof setInterval> | undefined;

  private constructor(runs: RunRecords, codec: JobCodec, run: RunReference) {
    this.run = run;
    this.#runs = runs;
    this.#codec = codec;
  }

  /** @throws {QueueError} (rejects) while the run is being removed, or if it was cancelled or added with another key */
  static async start(runs: RunRecords, codec: JobCodec, name: string): Promise<RunningAdd> {
    const id = await runs.begin(name);
    if (id === undefined) {
      throw new QueueError(
        `The run ${JSON.stringify(name)} is being removed. Add the jobs again later; if the removal was interrupted, remove the run again first.`,
      );
    }
    const adding = new RunningAdd(runs, codec, { name, id });
    await adding.register([]);
    adding.#renewing = setInterval(() => adding.register([]).catch(() => {}), addLeaseMs / 3);
    return adding;
  }

  /** @throws {QueueError} (rejects) if the run was removed or cancelled, or was added with another key */
  async register(jobs: Parameters<RunRecords["register"]>[3]) {
    const format = this.#codec.formatOf(this.run);
    const found = (await this.#runs.register(this.run.id, format, this.#id, jobs)) ?? this.#removed();
    if (typeof found !== "string") return found;
    if (found === "cancelled")
      throw unusableRun(this.run, "was cancelled. Resume it first, or use another run name");
    // In another format, the same jobs would have other digests, and would count as new.
    throw unusableRun(this.run, this.#codec.objectionTo(this.run, found) ?? unsealedRun);
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async check(): Promise<void> {
    if (!(await this.#runs.has(this.run.id))) this.#removed();
  }

  /** @throws {QueueError} (rejects) if the run was removed */
  async complete(): Promise<void> {
    clearInterval(this.#renewing);
    if (!(await this.#runs.endAdd(this.run.id, this.#id))) this.#removed();
  }

  /** Records why the call failed. Does not wait, because Redis may be unavailable. */
  fail(error: unknown): void {
    clearInterval(this.#renewing);
    // A caller's error may contain values.
    const ofCaller = "the last `add` call failed in the program that called it";
    const isOurs = isInstance(error, QueueError);
    const why = (isOurs ? readForeignText(error, "message") : undefined) ?? ofCaller;
    this.#runs.endAdd(this.run.id, this.#id, this.#codec.isSealing ? ofCaller : why).catch(() => {});
  }

  #removed(): never {
    throw new QueueError(
      `The run ${JSON.stringify(this.run.name)} was removed while jobs were being added. Add them again to create a new run.`,
    );
  }
}
