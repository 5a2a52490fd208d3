import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { describeThrown } from "../json/describe-thrown.ts";
import { formatLocation, shortPath, userFrames } from "./renderer/error-location.ts";
import type { Message, Outcome, RendererSetup, Report, Task } from "./renderer/protocol.ts";

/** How long a thread may go on once nobody waits for it: most layouts end by then, and a new thread costs more. */
const abandonedMs = 1_000;

/** One thread that renders, one task at a time, seen from outside. */
export class RendererThread {
  readonly #worker: Worker;
  /** The task under way. */
  #task: Task | undefined;
  #settle: ((outcome: Outcome) => void) | undefined;

  /** Settles once the thread can be given a task. Rejects where it can never be, such as without pdfmake. */
  readonly ready: Promise<void>;
  /** Settles when the thread has ended, for whatever reason. */
  readonly ended: Promise<void>;

  constructor(setup: RendererSetup, maxMemoryMegabytes: number) {
    this.#worker = new Worker(createRequire(import.meta.url).resolve("#renderer"), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMegabytes },
      ...inheritedFlags(),
    });
    this.ended = new Promise((resolve) => this.#worker.on("exit", () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (report: Report) => {
        if (report === "ready") resolve();
        else this.#settle?.(report);
      });
      this.#worker.on("error", (thrown: unknown) => {
        reject(thrown);
        const [inmost] = userFrames(thrown);
        // What was left behind by one document may throw during the next.
        const place = inmost ? formatLocation(inmost) : this.#file();
        this.#break(`${place}: it ended the rendering thread: ${describeThrown(thrown)}`);
      });
      this.#worker.on("exit", () => {
        reject(new Error("The rendering thread ended before it was ready."));
        this.#break(`${this.#file()}: it ended the rendering thread, by process.exit() for instance`);
      });
    });
    // Whoever waits for it hears of it; nobody may.
    this.ready.catch(() => {});
  }

  /** Performs one task. The thread is ended `limitMs` later, and a second after nobody waits any more. */
  perform(task: Task, signal: AbortSignal | undefined, limitMs: number): Promise<Outcome> {
    return new Promise((resolve) => {
      let limit = setTimeout(() => {
        this.#break(`${this.#file()}: it took longer than the ${limitMs} ms of limits.renderMs`);
      }, limitMs);
      const abandon = (): void => {
        this.#worker.postMessage("abandon" satisfies Message);
        clearTimeout(limit);
        limit = setTimeout(() => this.#settle?.({ kind: "abandoned", isSpent: true }), abandonedMs);
      };
      this.#task = task;
      this.#settle = (outcome) => {
        this.#task = undefined;
        this.#settle = undefined;
        clearTimeout(limit);
        signal?.removeEventListener("abort", abandon);
        resolve(outcome);
      };
      signal?.addEventListener("abort", abandon);
      try {
        this.#worker.postMessage(task);
      } catch (error) {
        this.#break(`${this.#file()}: its values cannot be handed to a thread: ${describeThrown(error)}`);
      }
    });
  }

  async end(): Promise<void> {
    this.#break("The emulator was closed before the document was done.");
    await this.#worker.terminate();
  }

  /** Ends the task under way, if there is one; the thread is not to be given another. */
  #break(message: string): void {
    this.#settle?.({ kind: "broken", message, stack: "", isSpent: true });
  }

  #file(): string {
    return this.#task ? shortPath(this.#task.template.path) : "a template";
  }
}

/**
 * A thread inherits the flags of its process, such as a loader that knows TypeScript. Flags about a program that
 * was given as text keep it from starting, and only then does it go without: a list of flags is examined more
 * strictly than those that are inherited.
 */
function inheritedFlags(): { readonly execArgv?: string[] } {
  const isText = process.execArgv.some((flag) => /^(?:--(?:input-type|eval|print)\b|-[ep]$|-pe$)/.test(flag));
  return isText ? { execArgv: [] } : {};
}
