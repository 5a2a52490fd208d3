import { AsyncResource } from "node:async_hooks";
import { OwnAgents } from "./agents.ts";
import { explain } from "./explain.ts";
import { type FetchLike, fetchTransport } from "./fetch.ts";
import type {
  CapturedContext,
  DispatcherLike,
  Transport,
  TransportPlatform,
  TransportPool,
  TransportSettings,
} from "./transport.ts";
import { undiciTransport } from "./undici.ts";

/** The transports of Node: undici, unless the caller or a replaced global says otherwise. */
export const transports: TransportPlatform = {
  openPool: () => new NodePool(),
  objectionTo: (dispatcher) =>
    // Undici 6 and older have this accessor, undici 7 has dropped it. The first dispatch detects the rest.
    "interceptors" in dispatcher ? "it is of undici 6 or older; make it with undici 7 or later" : undefined,
};

class NodePool implements TransportPool {
  readonly #agents = new OwnAgents();
  readonly #own = undiciTransport((origin) => this.#agents.dispatcherFor(origin), this.#agents.sockets);

  /**
   * Uses the `fetch` option, then the `dispatcher` option, then a global `fetch` or global dispatcher that was replaced,
   * then undici agents of our own.
   */
  current({ fetch, dispatcher, credentials }: TransportSettings): Transport {
    if (fetch) return fetchTransport(() => fetch, credentials, explain);
    if (dispatcher) return undiciTransport(() => dispatcher);
    if (isReplacedFetch(globalThis.fetch)) return usingGlobalFetch(credentials);
    const { current, legacy } = replacedDispatchers();
    if (current) return undiciTransport(() => current);
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
}

function usingGlobalFetch(credentials: TransportSettings["credentials"]): Transport {
  return fetchTransport(() => globalThis.fetch as FetchLike, credentials, explain);
}

let lastFetch: unknown;
let wasLastReplaced = false;

/**
 * Whether the global `fetch` was replaced, such as by a mock or a tracer. MSW and nock leave no mark on theirs; but Node's
 * own (20 to 26) is a named function whose source text mentions loading undici lazily. When in doubt, it was replaced.
 */
function isReplacedFetch(fetch: unknown): boolean {
  if (fetch !== lastFetch) {
    lastFetch = fetch;
    wasLastReplaced = typeof fetch === "function" && !isNodesOwn(fetch);
  }
  return wasLastReplaced;
}

// biome-ignore lint/complexity/noBannedTypes: any function may stand in for `fetch`.
function isNodesOwn(fetch: Function): boolean {
  return fetch.name === "fetch" && /lazy loading of undici/.test(Function.prototype.toString.call(fetch));
}

/** Where undici 7.19 and later, and 8, keep the global dispatcher. It takes new-style handlers. */
const currentKey = Symbol.for("undici.globalDispatcher.2");
/** Where every version of undici keeps it for old-style handlers. */
const legacyKey = Symbol.for("undici.globalDispatcher.1");

interface GlobalDispatchers {
  readonly [currentKey]?: DispatcherLike;
  readonly [legacyKey]?: DispatcherLike;
}

/** The global dispatchers that a user set. `current` takes the handlers of undici 7 and later; `legacy` may be of any version. */
function replacedDispatchers(): {
  readonly current?: DispatcherLike;
  readonly legacy?: DispatcherLike;
} {
  const { [currentKey]: current, [legacyKey]: legacy } = globalThis as GlobalDispatchers;
  if (current && !isPlainAgent(current)) return { current };
  if (legacy && legacy !== current && !isPlainAgent(legacy)) return { legacy };
  return none;
}

const none = {};

/**
 * Whether it is the `Agent` that undici and Node install by themselves, not one that a user set: no subclass, and no
 * interceptor added. Undici 8 wraps it for older readers.
 */
function isPlainAgent(dispatcher: DispatcherLike): boolean {
  const agent = dispatcher.constructor as
    | { readonly name: string; readonly prototype: DispatcherLike }
    | undefined;
  const isAgent = agent?.name === "Agent" || agent?.name === "Dispatcher1Wrapper";
  return isAgent && dispatcher.dispatch === agent.prototype.dispatch;
}
