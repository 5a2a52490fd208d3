import type { Outcome, RendererSetup, Task } from "./renderer/protocol.ts";
import { RendererThread } from "./renderer-thread.ts";

/** Somebody who waits for a thread. */
interface Waiting {
  readonly take: (thread: RendererThread) => void;
  readonly giveUp: (reason: unknown) => void;
}

/** The rendering threads: no more than allowed, each begun only when all others are busy. */
export class Renderers {
  readonly #setup: RendererSetup;
  readonly #maxThreads: number;
  readonly #limitMs: number;
  readonly #threads = new Set<RendererThread>();
  /** Those of them that have begun well. */
  readonly #fit = new Set<RendererThread>();
  readonly #idle: RendererThread[] = [];
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;

  /**
   * @param setup - what each thread is given
   * @param maxThreads - how many there may be
   * @param limitMs - how long one task may take, in milliseconds
   */
  constructor(setup: RendererSetup, maxThreads: number, limitMs: number) {
    this.#setup = setup;
    this.#maxThreads = maxThreads;
    this.#limitMs = limitMs;
  }

  /**
   * Performs one task in the next thread that is free.
   *
   * @param signal - aborted when nobody waits for the outcome any more
   * @throws the signal's reason while no thread has begun; why threads cannot start.
   */
  async perform(task: Task, signal?: AbortSignal): Promise<Outcome> {
    for (;;) {
      const thread = await this.#take(signal);
      const { outcome, isSpent } = await thread.perform(task, signal, this.#limitMs);
      if (isSpent) void thread.end();
      else this.#offer(thread);
      // A new thread has loaded nothing yet, so it cannot be stale as well.
      if (outcome.kind !== "stale") return outcome;
    }
  }

  /** Ends all threads, and whatever they are doing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#giveUp(closed());
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #take(signal: AbortSignal | undefined): Promise<RendererThread> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw closed();
      const idle = this.#idle.pop();
      if (idle) {
        resolve(idle);
        return;
      }
      const leave = (): void => waiting.giveUp(signal?.reason);
      const settle = (): void => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener("abort", leave);
      };
      const waiting: Waiting = {
        take: (thread) => {
          settle();
          resolve(thread);
        },
        giveUp: (reason) => {
          settle();
          reject(reason);
        },
      };
      this.#waiting.add(waiting);
      signal?.addEventListener("abort", leave);
      this.#grow();
    });
  }

  #offer(thread: RendererThread): void {
    const [next] = this.#waiting;
    if (next) next.take(thread);
    else this.#idle.push(thread);
  }

  #grow(): void {
    if (this.#isClosed || this.#threads.size >= this.#maxThreads) return;
    let thread: RendererThread;
    try {
      thread = new RendererThread(this.#setup);
    } catch (reason) {
      this.#giveUp(reason);
      return;
    }
    this.#threads.add(thread);
    thread.ready.then(
      () => {
        this.#fit.add(thread);
        this.#offer(thread);
      },
      (reason) => {
        // With another thread at work there is still hope.
        if (this.#fit.size === 0) this.#giveUp(reason);
        void thread.end();
      },
    );
    void thread.ended.then(() => this.#forget(thread));
  }

  /** A thread that has ended, even one that had nothing to do, makes room for another. */
  #forget(thread: RendererThread): void {
    this.#threads.delete(thread);
    this.#fit.delete(thread);
    const index = this.#idle.indexOf(thread);
    if (index !== -1) this.#idle.splice(index, 1);
    if (this.#waiting.size > 0) this.#grow();
  }

  #giveUp(reason: unknown): void {
    for (const { giveUp } of this.#waiting) giveUp(reason);
  }
}

function closed(): Error {
  return new Error("The emulator was closed.");
}
