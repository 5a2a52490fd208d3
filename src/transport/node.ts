import { AsyncResource } from "node:async_hooks";
import { OwnAgents } from "./agents.ts";
import { explain } from "./explain.ts";
import { type FetchLike, FetchTransport } from "./fetch.ts";
import { isReplacedFetch, replacedDispatchers } from "./replaced-globals.ts";
import type {
  CapturedContext,
  DispatcherLike,
  Transport,
  TransportPlatform,
  TransportPool,
  TransportSettings,
} from "./transport.ts";
import { UndiciTransport } from "./undici.ts";

/** The transports of Node: undici, unless the caller or a replaced global says otherwise. */
export const transports: TransportPlatform = {
  openPool: () => new NodePool(),
  objectionTo: (dispatcher) =>
    // Undici 6 and older have this accessor, undici 7 has dropped it. The first dispatch detects the rest.
    "interceptors" in dispatcher ? "it is of undici 6 or older; make it with undici 7 or later" : undefined,
};

class NodePool implements TransportPool {
  readonly #agents = new OwnAgents();
  readonly #own = new UndiciTransport((origin) => this.#agents.dispatcherFor(origin), this.#agents.sockets);
  #given: { readonly dispatcher: DispatcherLike; readonly transport: Transport } | undefined;

  /**
   * Uses the `fetch` option, then the `dispatcher` option, then a global `fetch` or global dispatcher that was replaced,
   * then undici agents of our own.
   */
  current({ fetch, dispatcher, credentials }: TransportSettings): Transport {
    if (fetch) return new FetchTransport(() => fetch, credentials, explain);
    if (dispatcher) return this.#using(dispatcher);
    if (isReplacedFetch(globalThis.fetch)) return usingGlobalFetch(credentials);
    const { current, legacy } = replacedDispatchers();
    if (current) return this.#using(current);
    // It may be of another generation: only Node's own fetch, which also uses it, knows which handlers it takes.
    return legacy ? usingGlobalFetch(credentials) : this.#own;
  }

  captureContext(): CapturedContext {
    // `AsyncLocalStorage.snapshot` captures it, too, but costs ten times as much on Node 20.
    return new AsyncResource("TemplatePdf");
  }

  close(): Promise<void> {
    return this.#agents.close();
  }

  #using(dispatcher: DispatcherLike): Transport {
    if (this.#given?.dispatcher !== dispatcher) {
      this.#given = { dispatcher, transport: new UndiciTransport(() => dispatcher) };
    }
    return this.#given.transport;
  }
}

function usingGlobalFetch(credentials: TransportSettings["credentials"]): Transport {
  return new FetchTransport(() => globalThis.fetch as FetchLike, credentials, explain);
}
