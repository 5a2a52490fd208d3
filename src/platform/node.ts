import { AsyncResource } from "node:async_hooks";
import { version } from "../../package.json";
import { nodeOutputs } from "../document/node-outputs.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { readEnvFile } from "../files/env-file.ts";
import { serverAdvice } from "../request/advice.ts";
import { OwnAgents } from "../transport/agents.ts";
import { explain } from "../transport/explain.ts";
import { fetchTransport } from "../transport/fetch.ts";
import { environmentProxy } from "../transport/proxies.ts";
import type {
  DispatcherLike,
  FetchLike,
  Transport,
  TransportPool,
  TransportSettings,
} from "../transport/transport.ts";
import { undiciTransport } from "../transport/undici.ts";
import type { Platform } from "./platform.ts";

// Node 18 and older would fail at the first call, or with another function's error.
if (process.versions?.node !== undefined && typeof process.getBuiltinModule !== "function") {
  throw new ConfigurationError(`template-pdf needs Node 20.19 or later; this is ${process.versions.node}.`);
}

/** Node, which sends requests with undici, unless the caller or a replaced global selects another transport. */
export const platform: Platform = {
  openPool,
  checkTransport(settings) {
    const { dispatcher, endpoint, needsPage } = settings;
    // Undici 6 and older have this accessor. Undici 7 removed it. The first dispatch detects the rest.
    if (dispatcher && "interceptors" in dispatcher) {
      throw new ConfigurationError(
        "The `dispatcher` cannot be used: it comes from undici 6 or older; create it with undici 7 or later.",
      );
    }
    if (!needsPage && !selectedTransport(settings)) environmentProxy(endpoint.origin);
  },
  nodeOutputs,
  userAgent: `template-pdf/${version}`,
  advice: serverAdvice(readEnvFile),
};

/** Where undici 7.19 or later stores the global dispatcher for new-style handlers. */
const currentKey = Symbol.for("undici.globalDispatcher.2");
/** Where every version of undici stores the dispatcher for old-style handlers. */
const legacyKey = Symbol.for("undici.globalDispatcher.1");

interface GlobalDispatchers {
  readonly [currentKey]?: DispatcherLike;
  readonly [legacyKey]?: DispatcherLike;
}

function openPool(): TransportPool {
  const agents = new OwnAgents();
  const own: Transport = {
    ...undiciTransport((origin) => agents.dispatcherFor(origin), agents.sockets),
    proxyOf: (origin) => agents.proxyOf(origin),
  };
  return {
    current: (settings) => selectedTransport(settings) ?? own,
    // `AsyncLocalStorage.snapshot` also captures it, but costs ten times as much on Node 20.
    captureContext: () => new AsyncResource("TemplatePdf"),
    close: () => agents.close(),
  };
}

/** The transport that the caller or a replaced global selects; `undefined` if the client uses its own connections. */
function selectedTransport({ fetch, dispatcher, credentials }: TransportSettings): Transport | undefined {
  if (fetch) return fetchTransport(() => fetch, credentials, explain);
  if (dispatcher) return undiciTransport(() => dispatcher);
  if (isReplacedFetch(globalThis.fetch)) return usingGlobalFetch(credentials);
  const { [currentKey]: current, [legacyKey]: legacy } = globalThis as GlobalDispatchers;
  if (isReplaced(current)) return undiciTransport(() => current);
  // It may come from another version of undici. Node's fetch also uses it, and knows its handlers.
  if (legacy !== current && isReplaced(legacy)) return usingGlobalFetch(credentials);
  return undefined;
}

function usingGlobalFetch(credentials: TransportSettings["credentials"]): Transport {
  return fetchTransport(() => globalThis.fetch as FetchLike, credentials, explain);
}

/**
 * Whether user code set the global dispatcher. Undici and Node install an `Agent`, which undici 8 wraps. Other dispatchers have
 * another class, or an interceptor.
 */
function isReplaced(dispatcher: DispatcherLike | undefined): dispatcher is DispatcherLike {
  if (!dispatcher) return false;
  const agent = dispatcher.constructor as
    | { readonly name: string; readonly prototype: DispatcherLike }
    | undefined;
  const isAgent = agent?.name === "Agent" || agent?.name === "Dispatcher1Wrapper";
  return !isAgent || dispatcher.dispatch !== agent.prototype.dispatch;
}

let lastFetch: unknown;
let wasLastReplaced = false;

/**
 * Whether the global `fetch` was replaced, for example by a mock or a tracer. MSW and nock do not mark theirs, but Node's own (20
 * to 26) is a named function whose source loads undici lazily. In doubt, it counts as replaced.
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
