import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Message, Outcome, RendererSetup, Report, Task } from "./renderer/protocol.ts";
import { shortPath } from "./short-path.ts";

/** A template that fills more than this is a runaway, and takes down its thread instead of the machine. */
const maxMemoryMegabytes = 2_048;

/** How a task ended, and whether the thread can be given another. */
export interface Done {
  readonly outcome: Outcome;
  readonly isSpent: boolean;
}

/** One thread that renders, one task at a time, seen from outside. */
export class RendererThread {
  readonly #worker: Worker;
  #task: Task | undefined;
  #settle: ((done: Done) => void) | undefined;

  /** Settles once the thread can be given a task. Rejects where it can never be, such as without pdfmake. */
  readonly ready: Promise<void>;

  constructor(setup: RendererSetup) {
    this.#worker = new Worker(createRequire(import.meta.url).resolve("#renderer"), {
      workerData: setup,
      // These two are about a program given as text, and a thread that inherits them does not start.
      execArgv: process.execArgv.filter((argument) => !/^--(?:input-type|eval|print)\b/.test(argument)),
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMegabytes },
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (report: Report) => {
        if (report.kind === "ready") resolve();
        else if (report.kind === "unfit") reject(new Error(report.message));
        else this.#settle?.(report);
      });
      this.#worker.on("error", (error) => {
        reject(error);
        this.#fail(`the template ended its thread: ${error.message}`);
      });
      this.#worker.on("exit", () => {
        reject(new Error("The rendering thread ended before it was ready."));
        this.#fail("the template ended its thread, by process.exit() for instance");
      });
    });
    // Whoever waits for it hears of it; nobody may.
    this.ready.catch(() => {});
  }

  /**
   * Performs one task.
   *
   * @param signal - aborted when nobody waits for the outcome any more
   * @param limitMs - how long it may take, in milliseconds; the thread is ended then
   */
  perform(task: Task, signal: AbortSignal | undefined, limitMs: number): Promise<Done> {
    return new Promise((resolve) => {
      const abandon = (): void => this.#send({ kind: "abandon" });
      const limit = setTimeout(() => {
        this.#fail(`it took longer than the ${limitMs} ms that a document may take (limits.renderMs)`);
        this.end();
      }, limitMs);
      this.#settle = (done) => {
        this.#settle = undefined;
        clearTimeout(limit);
        signal?.removeEventListener("abort", abandon);
        resolve(done);
      };
      signal?.addEventListener("abort", abandon);
      this.#task = task;
      this.#send(task);
    });
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(message: Message): void {
    this.#worker.postMessage(message);
  }

  /** Ends the task under way, if there is one, by naming what its template did. */
  #fail(reason: string): void {
    const message = this.#task ? `${shortPath(this.#task.template.path)}: ${reason}` : reason;
    this.#settle?.({ outcome: { kind: "broken", message, stack: "" }, isSpent: true });
  }
}
