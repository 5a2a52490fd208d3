import { AsyncResource } from "node:async_hooks";
import { OwnAgents } from "./agents.ts";
import { explain } from "./explain.ts";
import { FetchTransport } from "./fetch.ts";
import { foreignDispatcher, isForeignFetch } from "./foreign.ts";
import type {
  DispatcherLike,
  FetchLike,
  Transport,
  TransportPlatform,
  TransportPool,
  TransportSettings,
} from "./types.ts";
import { UndiciTransport } from "./undici.ts";

/** The transports of Node: undici, unless somebody has said otherwise. */
export const transports: TransportPlatform = {
  openPool: () => new NodePool(),
  // `AsyncLocalStorage.snapshot` makes one, too, and costs ten times as much on Node 20.
  captureContext: () => new AsyncResource("TemplatePdf"),
  objectionTo: (dispatcher) =>
    // Undici 6 and older have this accessor, undici 7 has dropped it. What it cannot tell apart, the first
    // dispatch does.
    "interceptors" in dispatcher ? "it is of undici 6 or older; make it with undici 7 or later" : undefined,
};

class NodePool implements TransportPool {
  readonly #agents = new OwnAgents();
  readonly #own = new UndiciTransport((origin) => this.#agents.dispatcherFor(origin), this.#agents.opener);
  #given: { readonly dispatcher: DispatcherLike; readonly transport: Transport } | undefined;

  /**
   * The `fetch` option, then the `dispatcher` option, then a global `fetch` or global dispatcher that somebody
   * has replaced, then undici agents of our own.
   */
  current({ fetch, dispatcher, credentials }: TransportSettings): Transport {
    if (fetch) return new FetchTransport(() => fetch, credentials, explain);
    if (dispatcher) return this.#by(dispatcher);
    if (isForeignFetch(globalThis.fetch)) return byGlobalFetch(credentials);
    const foreign = foreignDispatcher();
    if (foreign === undefined) return this.#own;
    return foreign.reach === "dispatch" ? this.#by(foreign.dispatcher) : byGlobalFetch(credentials);
  }

  close(): Promise<void> {
    return this.#agents.close();
  }

  #by(dispatcher: DispatcherLike): Transport {
    if (this.#given?.dispatcher !== dispatcher) {
      this.#given = { dispatcher, transport: new UndiciTransport(() => dispatcher) };
    }
    return this.#given.transport;
  }
}

function byGlobalFetch(credentials: TransportSettings["credentials"]): Transport {
  return new FetchTransport(() => globalThis.fetch as FetchLike, credentials, explain);
}
