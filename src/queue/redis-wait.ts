import { QueueError } from "./queue-error.ts";
import { isLockLost } from "./worker-errors.ts";

/** How long a closing worker waits for Redis. Other workers then recover its jobs. */
const limitMs = 10_000;

/** The delay after a refused command. */
const refusedMs = 1000;

/** Waits for Redis: without a limit while a worker runs, and for a limited time when it closes. */
export class RedisWait {
  readonly #waiting = new Set<(reason: unknown) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #error: QueueError | undefined;

  /** Called when the limit is exceeded, before everything that waits is rejected. */
  onOver = () => {};

  /** Whether the limit is exceeded. */
  get isOver(): boolean {
    return this.#error !== undefined;
  }

  /** Why the limit was exceeded. */
  get error(): QueueError | undefined {
    return this.#error;
  }

  /** Starts the limit. */
  limit(): void {
    this.#timer ??= setTimeout(() => this.#stop(), limitMs);
  }

  /** Stops the timer of the limit. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** @throws {QueueError} (rejects) if the limit is exceeded first */
  async for<T>(work: Promise<T>): Promise<T> {
    let stop = (_reason: unknown) => {};
    const over = new Promise<never>((_, reject) => {
      stop = reject;
    });
    if (this.#error) stop(this.#error);
    this.#waiting.add(stop);
    try {
      return await Promise.race([work, over]);
    } finally {
      this.#waiting.delete(stop);
    }
  }

  /**
   * Repeats a Redis command until it succeeds, because a full Redis refuses commands.
   *
   * @throws {QueueError} (rejects) if the limit is exceeded first
   * @throws the error of BullMQ if the worker no longer has the job
   */
  async untilDone<T>(command: () => Promise<T>, onRefusal: (error: unknown) => void): Promise<T> {
    for (;;) {
      // A command that is sent now could still be executed once Redis responds.
      if (this.#error) throw this.#error;
      try {
        return await this.for(command());
      } catch (error) {
        if (isLockLost(error) || this.isOver) throw error;
        onRefusal(error);
        await new Promise((resolve) => setTimeout(resolve, refusedMs));
      }
    }
  }

  #stop(): void {
    this.#error = new QueueError(
      `Redis did not record the results of this worker within ${limitMs / 1000} s after its last document. Other workers will generate the affected documents again.`,
    );
    this.onOver();
    for (const stop of this.#waiting) stop(this.#error);
  }
}
