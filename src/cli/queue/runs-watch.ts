import { type BulkQueue, QueueError, type QueueProgress } from "../../queue/index.ts";

/** Reads the progress of all runs in a queue, with their recent rates. */
export class RunsWatch {
  readonly #queue: BulkQueue;
  readonly #reports = new Map<string, AsyncGenerator<QueueProgress, void, undefined>>();

  constructor(queue: BulkQueue) {
    this.#queue = queue;
  }

  /** Returns the progress of each run, sorted by name. */
  async read(): Promise<QueueProgress[]> {
    const names = await this.#queue.runs();
    for (const name of this.#reports.keys()) if (!names.includes(name)) this.#reports.delete(name);
    const progresses = await Promise.all(names.map((name) => this.#progressOf(name)));
    return progresses.filter((progress) => progress !== undefined);
  }

  /** Returns `undefined` if the run has just been removed. */
  async #progressOf(name: string): Promise<QueueProgress | undefined> {
    const reports = this.#reports.get(name) ?? this.#queue.progress(name, { everyMs: 0 });
    this.#reports.set(name, reports);
    try {
      const { value } = await reports.next();
      if (value) return value;
      // The run was finished at the last reading. Jobs may have been added since.
      this.#reports.delete(name);
      return await this.#progressOf(name);
    } catch (error) {
      if (!QueueError.is(error)) throw error;
      this.#reports.delete(name);
      return undefined;
    }
  }
}
