import { type CallEvent, type EventOf, type Hooks, tell } from "../options/hooks.ts";
import type { CapturedContext } from "../transport/transport.ts";

let calls = 0;

/** Tells the hooks of one call, each event with what all of them tell. */
export class CallEvents {
  readonly #number = ++calls;
  readonly #startedAtMs: number;
  readonly #hooks: Hooks;
  readonly #uid: string;
  /** Calls hooks in the asynchronous context that the call was made in, so that logs know whose it is. */
  readonly #context: CapturedContext | undefined;

  /**
   * @param startedAtMs - when the call began, by `performance.now()`
   * @param context - that of the call
   */
  constructor(hooks: Hooks, uid: string, startedAtMs: number, context: CapturedContext | undefined) {
    this.#hooks = hooks;
    this.#uid = uid;
    this.#startedAtMs = startedAtMs;
    this.#context = context;
  }

  /**
   * @param attempt - which try it is about
   * @param more - what this event tells beyond every other; asked for only where somebody hears it
   */
  tell<Name extends keyof Hooks>(
    name: Name,
    attempt: number,
    more: () => Omit<EventOf<Name>, keyof CallEvent>,
  ): void {
    if (!this.#isHeard(name)) return;
    const elapsedMs = performance.now() - this.#startedAtMs;
    const event = () =>
      ({ call: this.#number, uid: this.#uid, attempt, elapsedMs, ...more() }) as unknown as EventOf<Name>;
    // A request is sent in that context; everything else comes from sockets and clocks.
    if (this.#context && name !== "request") {
      this.#context.runInAsyncScope(tell, undefined, this.#hooks, name, event);
    } else {
      tell(this.#hooks, name, event);
    }
  }

  #isHeard(name: keyof Hooks): boolean {
    try {
      return this.#hooks[name] !== undefined;
    } catch {
      // A getter of the caller's own that throws.
      return false;
    }
  }
}
