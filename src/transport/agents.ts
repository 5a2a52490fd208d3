import type { Agent, buildConnector } from "undici";
import { ConfigurationError } from "../errors/errors.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { environmentProxy, throughProxy } from "./proxies.ts";
import type { DispatcherLike } from "./transport.ts";
import { type Connector, notInherited, SocketTracker, withFixedParser } from "./undici-7.ts";

/** How an origin is reached: the address of its proxy, if it has one. */
type Route = string | undefined;

/** The dispatchers that a client creates for itself: one for each route. */
export class OwnAgents {
  readonly sockets = new SocketTracker();
  /** Created by the first call, because loading undici takes longer than many programs take to start. */
  readonly #agents = new Map<Route, Agent | Promise<Agent>>();
  /** Keyed by origin. Decided by the first request, because reading the environment is slow. */
  readonly #routes = new Map<string, Route>();

  /**
   * Returns the dispatcher for an origin. @throws {ConfigurationError} if the environment has a proxy for it that cannot be used
   */
  dispatcherFor(origin: string): DispatcherLike | Promise<DispatcherLike> {
    if (!this.#routes.has(origin)) this.#routes.set(origin, environmentProxy(origin));
    const route = this.#routes.get(origin);
    const agent = this.#agents.get(route) ?? this.#open(route);
    this.#agents.set(route, agent);
    return agent;
  }

  /** Returns the address of the proxy that was chosen for an origin, without credentials. */
  proxyOf(origin: string): string | undefined {
    const route = this.#routes.get(origin);
    return route && new URL(route).origin;
  }

  /** Closes the dispatchers when the calls in flight have ended. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#agents.values());
    await Promise.all(opened.map((agent) => agent.status === "fulfilled" && agent.value.close()));
  }

  async #open(route: Route): Promise<Agent> {
    try {
      const undici = await loadUndici();
      const connector = undici.buildConnector(socketOptions()) as Connector;
      const routed = route === undefined ? connector : throughProxy(route, connector);
      const agent = new undici.Agent({
        ...notInherited,
        connect: this.sockets.track(withFixedParser(routed)) as buildConnector.connector,
      });
      this.#agents.set(route, agent);
      return agent;
    } catch (error) {
      // The problem may be fixed before the next call.
      this.#agents.delete(route);
      throw error;
    }
  }
}

/** Options for sockets. They disable undici's connect timeout in favour of ours. */
function socketOptions() {
  // Node would read this variable from `Object.prototype`, too.
  const rejectUnauthorized = readEnvironment("NODE_TLS_REJECT_UNAUTHORIZED") !== "0";
  return { ...notInherited, rejectUnauthorized, timeout: 0 };
}

type Undici = Pick<typeof import("undici"), "Agent" | "buildConnector">;

/**
 * Loads only the files that are needed. Undici's index loads far more and installs a global dispatcher. It is the fallback in
 * case a later undici 7 hides its inner files behind an `exports` map.
 */
async function loadUndici(): Promise<Undici> {
  try {
    return requireInstalled() ?? (await importInnerFiles());
  } catch {
    return importIndex();
  }
}

/** Where this code is in an installed package, but not in a bundle. */
const installedFile = "/node_modules/template-pdf/dist/platform/node.js";

/**
 * Uses `require` in an installed package, because `import()` is slower: it searches CommonJS for export names. In a bundle,
 * `require` could find another undici than the bundled one.
 */
function requireInstalled(): Undici | undefined {
  if (!import.meta.url.endsWith(installedFile)) return undefined;
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  const Agent = load("undici/lib/dispatcher/agent.js");
  // Some bundlers report the original location of this file, where undici 6 may be installed; see `Platform.checkTransport`.
  if ("interceptors" in Agent.prototype) return undefined;
  return { Agent, buildConnector: load("undici/lib/core/connect.js") };
}

/** Undici has types for its index only. Bundlers follow these paths. */
async function importInnerFiles(): Promise<Undici> {
  const [agent, connect] = await Promise.all([
    import("undici/lib/dispatcher/agent.js" as string),
    import("undici/lib/core/connect.js" as string),
  ]);
  return { Agent: agent.default, buildConnector: connect.default };
}

async function importIndex(): Promise<Undici> {
  try {
    return await import("undici");
  } catch (cause) {
    const [reason] = describeThrown(cause).split("\n");
    throw new ConfigurationError(
      `undici could not be loaded (${reason}), and the request was not sent. Install undici, or pass \`fetch: globalThis.fetch\`. If you bundle to ES modules, mark undici as external (esbuild: --external:undici).`,
      { cause },
    );
  }
}
