import { callSafely } from "../errors/foreign-values.ts";
import type { ResolvedCall } from "../options/call-options.ts";
import { type CallEvent, type EventOf, type Hooks, noHooks } from "../options/hooks.ts";
import {
  type CapturedContext,
  expectedLengthOf,
  type ResponseHead,
  type TransportPool,
} from "../transport/transport.ts";

/** Numbers the calls that have hooks. */
let calls = 0;

/** Reports one call to the caller's hooks and `onProgress`, in the asynchronous context of the call. */
export class CallObserver {
  readonly #number = ++calls;
  readonly #settings: ResolvedCall;
  readonly #context: CapturedContext | undefined;

  private constructor(settings: ResolvedCall, pool: TransportPool) {
    this.#settings = settings;
    this.#context = pool.captureContext();
  }

  /** Returns `undefined` if the caller does not observe the call. */
  static of(settings: ResolvedCall, pool: TransportPool): CallObserver | undefined {
    const isObserved = settings.hooks !== noHooks || settings.onProgress !== undefined;
    return isObserved ? new CallObserver(settings, pool) : undefined;
  }

  /** @param more - returns the rest of the event; called only if there is a hook with that name */
  notify<Name extends keyof Hooks>(
    name: Name,
    common: Omit<CallEvent, "call">,
    more: () => Omit<EventOf<Name>, keyof CallEvent>,
  ): void {
    const hook = this.#settings.hooks[name] as ((event: CallEvent) => unknown) | undefined;
    if (!hook) return;
    const report = () => hook(Object.freeze({ call: this.#number, ...common, ...more() }));
    // Requests are sent in the call's context. Other events come from sockets and timers.
    if (name === "request") callSafely(report);
    else this.#inContext(report);
  }

  reportProgress(receivedBytes: number, head: ResponseHead): void {
    const { onProgress } = this.#settings;
    if (!onProgress) return;
    const expectedBytes = expectedLengthOf(head);
    const totalBytes = receivedBytes > (expectedBytes ?? 0) ? undefined : expectedBytes;
    this.#inContext(() => onProgress(Object.freeze({ receivedBytes, totalBytes })));
  }

  #inContext(report: () => unknown): void {
    if (this.#context) this.#context.runInAsyncScope(callSafely, undefined, report);
    else callSafely(report);
  }
}
