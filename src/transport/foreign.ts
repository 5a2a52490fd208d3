import type { DispatcherLike, FetchLike } from "./types.ts";

/**
 * Who stands behind the globals: Node itself, or somebody who wants to see or steer the requests, such as a
 * mock, a tracer, a proxy? In doubt it is somebody, and is obeyed.
 */

let lastFetch: unknown;
let lastFetchIsForeign = false;

/**
 * Whether the global `fetch` is another than Node's own. MSW and nock leave no mark on theirs; but Node's own
 * (20 to 26) is a named function whose source text speaks of loading undici lazily.
 */
export function isForeignFetch(fetch: unknown): fetch is FetchLike {
  if (fetch !== lastFetch) {
    lastFetch = fetch;
    lastFetchIsForeign = typeof fetch === "function" && !isNodesOwn(fetch as FetchLike);
  }
  return lastFetchIsForeign;
}

function isNodesOwn(fetch: FetchLike): boolean {
  return fetch.name === "fetch" && /lazy loading of undici/.test(Function.prototype.toString.call(fetch));
}

/** Where undici 7.19 and later, and 8, keep the global dispatcher; it takes new-style handlers. */
const currentKey = Symbol.for("undici.globalDispatcher.2");
/** Where every undici keeps it, for those that speak the old style. */
const legacyKey = Symbol.for("undici.globalDispatcher.1");

/** A global dispatcher that somebody set, and how to reach it. */
export type ForeignDispatcher =
  /** It takes the handlers of undici 7 and later. */
  | { readonly reach: "dispatch"; readonly dispatcher: DispatcherLike }
  /** It may be of another generation: only Node's own fetch, which looks there too, knows how to speak to it. */
  | { readonly reach: "fetch" };

/** The global dispatcher, where it is another than the plain `Agent` that undici and Node put there themselves. */
export function foreignDispatcher(): ForeignDispatcher | undefined {
  const globals = globalThis as { [currentKey]?: DispatcherLike; [legacyKey]?: DispatcherLike };
  const current = globals[currentKey];
  if (current !== undefined && !isPlainAgent(current)) return { reach: "dispatch", dispatcher: current };
  const legacy = globals[legacyKey];
  if (legacy !== undefined && legacy !== current && !isPlainAgent(legacy)) return { reach: "fetch" };
  return undefined;
}

/** An `Agent` as it comes: no subclass, nothing composed onto it. Undici 8 wraps it for older readers. */
function isPlainAgent(dispatcher: DispatcherLike): boolean {
  const agent = dispatcher.constructor as
    | { readonly name: string; readonly prototype: DispatcherLike }
    | undefined;
  const isAgent = agent?.name === "Agent" || agent?.name === "Dispatcher1Wrapper";
  return isAgent && dispatcher.dispatch === agent.prototype.dispatch;
}
