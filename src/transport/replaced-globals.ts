import type { DispatcherLike } from "./transport.ts";

/** Whether the globals that carry requests are Node's own, or were replaced: by a mock, a tracer or a proxy. */

let lastFetch: unknown;
let wasLastReplaced = false;

/**
 * Whether the global `fetch` was replaced, such as by a mock or a tracer. MSW and nock leave no mark on theirs; but Node's
 * own (20 to 26) is a named function whose source text mentions loading undici lazily. When in doubt, it was replaced.
 */
export function isReplacedFetch(fetch: unknown): boolean {
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
export function replacedDispatchers(): {
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
