import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { describeThrown } from "../errors/foreign-values.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { userFrames } from "./renderer/error-location.ts";
import type { Message, Outcome, RendererSetup, Report, Task } from "./renderer/protocol.ts";
import { shortPath } from "./renderer/short-path.ts";

/**
 * How long a thread may continue after its caller has disconnected. Most layouts finish by then, and starting a new thread costs
 * more.
 */
const abandonedMs = 1_000;

/** Why and where a thread broke. */
interface Breaking {
  readonly at?: ReturnType<typeof userFrames>[number] | undefined;
  readonly isTimeout?: boolean;
}

/** How long a thread may take to end. A thread that waits for the system, for example for a named pipe, never ends. */
const endingMs = 1_000;

/** A rendering thread. It runs one task at a time. */
export class RendererThread {
  readonly #worker: Worker;
  #settle: ((outcome: Outcome) => void) | undefined;

  /** Resolves when the thread is ready. Rejects if it cannot start, for example without pdfmake. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  /** The path of the template of the latest task. */
  #lastPath = "a template";

  constructor(setup: RendererSetup, maxMemoryMegabytes: number) {
    const options = withoutPrototype({
      workerData: setup,
      resourceLimits: withoutPrototype({ maxOldGenerationSizeMb: maxMemoryMegabytes }),
      ...inheritedFlags(),
    });
    this.#worker = new Worker(createRequire(import.meta.url).resolve("#renderer"), options);
    this.ended = new Promise((resolve) => this.#worker.on("exit", () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (report: Report) => {
        if (report === "ready") resolve();
        else this.#settle?.(report);
      });
      this.#worker.on("error", (thrown: unknown) => {
        reject(thrown);
        const [inmost] = userFrames(thrown);
        // Pending work for one document may throw while the next one is rendered.
        this.#break(`it ended the rendering thread: ${describeThrown(thrown)}`, { at: inmost });
      });
      this.#worker.on("exit", () => {
        reject(new Error("The rendering thread ended before it was ready."));
        this.#break("it ended the rendering thread, for example with process.exit()");
      });
    });
    // Prevents an unhandled rejection if nothing waits for it.
    this.ready.catch(() => {});
  }

  /** Runs one task. The thread is terminated after `limitMs`, or a second after the caller has disconnected. */
  perform(task: Task, signal: AbortSignal | undefined, limitMs: number): Promise<Outcome> {
    return new Promise((resolve) => {
      let limit = setTimeout(() => {
        this.#break(`it took longer than ${limitMs} ms (limits.renderMs)`, { isTimeout: true });
      }, limitMs);
      const abandon = (): void => {
        this.#worker.postMessage("abandon" satisfies Message);
        clearTimeout(limit);
        limit = setTimeout(() => this.#settle?.({ kind: "abandoned", isSpent: true }), abandonedMs);
      };
      this.#lastPath = task.template.path;
      this.#settle = (outcome) => {
        this.#settle = undefined;
        clearTimeout(limit);
        signal?.removeEventListener("abort", abandon);
        resolve(outcome);
      };
      signal?.addEventListener("abort", abandon);
      try {
        this.#worker.postMessage(task);
      } catch (error) {
        this.#break(`its values cannot be sent to a thread: ${describeThrown(error)}`);
      }
    });
  }

  /**
   * Ends the thread within a second.
   *
   * @throws {Error} if the thread cannot be ended. It no longer keeps the event loop alive
   */
  async end(): Promise<void> {
    this.#break("the emulator was closed before the document was finished");
    this.#worker.unref();
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => reject(this.#cannotEnd()), endingMs);
      const done = (): void => {
        clearTimeout(limit);
        resolve();
      };
      void this.#worker.terminate().then(done, done);
    });
  }

  #cannotEnd(): Error {
    const why = "because it waits for the system, for example for a named pipe";
    return new Error(
      `${shortPath(this.#lastPath)}: its rendering thread cannot be stopped, ${why}. The process cannot exit by itself: kill it.`,
    );
  }

  /** Ends the current task, if any. The thread must not get another one. */
  #break(message: string, { at, isTimeout = false }: Breaking = {}): void {
    const { path = this.#lastPath, line, column } = at ?? {};
    const fault = { file: path, line, column, part: "", message };
    this.#settle?.({ kind: "broken", faults: [fault], stack: "", isTimeout, isSpent: true });
  }
}

/**
 * A thread inherits the flags of its process, such as a TypeScript loader. Flags for an inline program prevent it from starting.
 * The flags are omitted only in that case, because explicit flags are checked more strictly than inherited ones.
 */
function inheritedFlags(): { readonly execArgv?: string[] } {
  const isText = process.execArgv.some((flag) => /^(?:--(?:input-type|eval|print)\b|-[ep]$|-pe$)/.test(flag));
  return isText ? { execArgv: [] } : {};
}
