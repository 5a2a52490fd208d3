import { withoutPrototype } from "../runtime/own-options.ts";
import type { Outcome, RendererSetup, Task } from "./renderer/protocol.ts";
import { RendererThread } from "./renderer-thread.ts";

/** The memory limit of a thread. A template that exceeds it ends its thread instead of filling the memory of the machine. */
const defaultMaxMemoryMegabytes = 2_048;

/** The maximum number of threads that cannot be ended. Each holds its memory. */
const maxStuckThreads = 16;

const tooManyStuck =
  `${maxStuckThreads} rendering threads cannot be stopped, because their templates wait for the system, for example for a named pipe. ` +
  "Fix these templates, and start the emulator again";

/** The conditions of one task. */
export interface Terms {
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** A shorter timeout than that of calls. Like this one, it starts when a thread begins the task. */
  readonly limitMs?: number | undefined;
  /** Called when a thread begins the task. */
  readonly onBegin?: (() => void) | undefined;
}

/** The rendering threads, up to the limit. A thread starts only when all others are busy. */
export class Renderers {
  /** The maximum number of threads. */
  readonly maxThreads: number;
  readonly #setup: RendererSetup;
  readonly #limitMs: number;
  readonly #maxMemoryMegabytes: number;
  readonly #threads = new Set<RendererThread>();
  readonly #idle = new Set<RendererThread>();
  /** Threads that cannot be ended, because a template waits for the system. Others replace them, up to a limit. */
  readonly #stuck = new Set<RendererThread>();
  /** Waiting tasks, called in order when a thread is idle or may be started. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(
    setup: RendererSetup,
    maxThreads: number,
    limitMs: number,
    maxMemoryMegabytes = defaultMaxMemoryMegabytes,
  ) {
    this.#setup = setup;
    this.maxThreads = maxThreads;
    this.#limitMs = limitMs;
    this.#maxMemoryMegabytes = maxMemoryMegabytes;
  }

  /**
   * Runs a task when a thread is free. Waiting does not count towards its timeout.
   *
   * @throws the abort reason of the signal, if the task has not begun yet
   */
  async perform(task: Task, terms: Terms = {}): Promise<Outcome> {
    const { signal, limitMs, onBegin } = withoutPrototype(terms);
    for (;;) {
      if (this.#stuck.size >= maxStuckThreads) {
        const fault = { file: task.template.path, part: "", message: tooManyStuck };
        return { kind: "broken", faults: [fault], stack: "" };
      }
      const thread = await this.#take(signal);
      onBegin?.();
      const outcome = await thread.perform(task, signal, Math.min(limitMs ?? this.#limitMs, this.#limitMs));
      if (outcome.isSpent) void this.#replace(thread);
      else this.#idle.add(thread);
      this.#wakeNext();
      // A new thread cannot be stale.
      if (outcome.kind !== "stale") return outcome;
    }
  }

  /** Starts a thread. @throws {Error} if it cannot start, for example without pdfmake or with a wrong folder of fonts */
  async prepare(): Promise<void> {
    this.#idle.add(await this.#take(undefined));
    this.#wakeNext();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting) wake();
    await Promise.all([...this.#threads, ...this.#stuck].map((thread) => thread.end()));
  }

  async #take(signal: AbortSignal | undefined): Promise<RendererThread> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new Error("The emulator was closed.");
      const [idle] = this.#idle;
      if (idle) {
        this.#idle.delete(idle);
        return idle;
      }
      if (this.#threads.size < this.maxThreads) return this.#begin();
      await this.#wait(signal);
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake);
    });
  }

  async #begin(): Promise<RendererThread> {
    const thread = new RendererThread(this.#setup, this.#maxMemoryMegabytes);
    this.#threads.add(thread);
    // A thread that has ended, even an idle one, makes room for another.
    void thread.ended.then(() => {
      this.#stuck.delete(thread);
      this.#remove(thread);
    });
    await thread.ready;
    return thread;
  }

  /** Ends a thread and makes room for another, even if it cannot be ended. */
  async #replace(thread: RendererThread): Promise<void> {
    try {
      await thread.end();
    } catch {
      this.#stuck.add(thread);
      this.#remove(thread);
    }
  }

  #remove(thread: RendererThread): void {
    this.#threads.delete(thread);
    this.#idle.delete(thread);
    this.#wakeNext();
  }

  #wakeNext(): void {
    const [wake] = this.#waiting;
    wake?.();
  }
}
