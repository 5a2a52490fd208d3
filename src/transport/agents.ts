import type { Dispatcher } from "undici";
import { ConfigurationError } from "../errors/errors.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { nameOfError } from "../errors/value-kinds.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { environmentProxy } from "./environment-proxy.ts";
import { ProxyFailure } from "./explain.ts";
import { notInherited } from "./not-inherited.ts";
import { type Connector, SocketTracker, skipInterimAnswers } from "./sockets.ts";
import type { DispatcherLike } from "./transport.ts";

/** A dispatcher that we create and therefore close. */
type OwnedDispatcher = DispatcherLike & { close(): Promise<void> };

/** How an origin is reached: the address of its proxy, if it has one. */
type Route = string | undefined;

/** The dispatchers that a client creates for itself: one for each route. */
export class OwnAgents {
  readonly sockets = new SocketTracker();
  /** Created by the first call, because loading undici takes longer than many programs take to start. */
  readonly #agents = new Map<Route, OwnedDispatcher | Promise<OwnedDispatcher>>();
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

  /** Closes the dispatchers when the calls in flight have ended. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#agents.values());
    await Promise.all(opened.map((agent) => agent.status === "fulfilled" && agent.value.close()));
  }

  async #open(route: Route): Promise<OwnedDispatcher> {
    try {
      const agent = await (route === undefined
        ? openAgent(this.sockets)
        : openProxyAgent(this.sockets, route));
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

async function openAgent(sockets: SocketTracker): Promise<OwnedDispatcher> {
  const { Agent, buildConnector } = await loadAgent();
  return new Agent({ ...notInherited, connect: directConnector(buildConnector(socketOptions()), sockets) });
}

function directConnector(connector: Connector, sockets: SocketTracker): Connector {
  return sockets.track((options, callback) =>
    connector(options, (...opened: Parameters<typeof callback>) => {
      if (opened[1]) skipInterimAnswers(opened[1]);
      callback(...opened);
    }),
  );
}

async function openProxyAgent(sockets: SocketTracker, uri: string): Promise<OwnedDispatcher> {
  const { ProxyAgent, Pool, connect } = await loadProxyAgent();
  try {
    return new ProxyAgent({
      ...notInherited,
      uri,
      proxyTls: socketOptions(),
      requestTls: socketOptions(),
      // Creates the pool of connections to the proxy itself.
      clientFactory: (origin: URL, options: { connect: Connector }) => {
        const pool = new Pool(origin, {
          ...notInherited,
          ...options,
          connect: sockets.track(options.connect),
          headersTimeout: 0,
        });
        // The agent calls `connect` for each tunnel. Only undici's index adds that method.
        return Object.assign(pool, {
          connect: (request: Dispatcher.ConnectOptions) =>
            openTunnel(connect.bind(pool) as Connect, { ...notInherited, ...request, signal: null }, origin),
        });
      },
    });
  } catch {
    // The cause is omitted, because undici quotes the address, which may contain a password.
    throw new ConfigurationError(
      "HTTP_PROXY or HTTPS_PROXY is not a valid proxy address. Use a proxy with http:// or https://, for example http://proxy.example.com:3128.",
    );
  }
}

type Connect = (request: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/**
 * Opens a tunnel through a proxy. If a proxy disconnects, undici retries immediately and without end, a thousand times a second,
 * even if the call has ended. Our own error stops that and names the proxy.
 */
async function openTunnel(
  connect: Connect,
  request: Dispatcher.ConnectOptions,
  { origin }: URL,
): Promise<Dispatcher.ConnectData> {
  const answer = await connect(request).catch((cause: unknown) => {
    const reason = describeThrown(cause) || nameOfError(cause);
    throw new ProxyFailure(`the proxy at ${origin} failed: ${reason}`, { cause });
  });
  const { statusCode: status, socket } = answer;
  // Any success opens the tunnel (RFC 9110, 9.3.6), but undici accepts only 200.
  if (status >= 200 && status < 300) return { ...answer, statusCode: 200 };
  socket.on("error", () => {}).destroy();
  throw new ProxyFailure(`the proxy at ${origin} responded with ${status}`, { status });
}

/**
 * Loads only the files that are needed. Undici's index loads far more and installs a global dispatcher. It is the fallback in
 * case a later undici 7 hides its inner files behind an `exports` map.
 */
async function loadAgent(): Promise<AgentParts> {
  try {
    return requireAgent() ?? (await importAgent());
  } catch {
    return loadIndex();
  }
}

async function importAgent() {
  const [{ default: Agent }, { default: buildConnector }] = await Promise.all([
    import("undici/lib/dispatcher/agent.js"),
    import("undici/lib/core/connect.js"),
  ]);
  return { Agent, buildConnector };
}

type AgentParts = Awaited<ReturnType<typeof importAgent>>;

/**
 * Uses `require` in an installed package, because `import()` is slower: it searches CommonJS for export names. In a bundle,
 * `require` could find another undici than the bundled one, and some bundlers report the original location of this file.
 */
function requireAgent(): AgentParts | undefined {
  const { url } = import.meta;
  if (!/\/node_modules\/template-pdf\/dist\/platform\/node\.js$/.test(url)) return undefined;
  const load = process.getBuiltinModule("node:module").createRequire(url);
  const Agent = load("undici/lib/dispatcher/agent.js");
  // Undici 6: see ``transports.check``.
  if ("interceptors" in Agent.prototype) return undefined;
  return { Agent, buildConnector: load("undici/lib/core/connect.js") };
}

async function loadProxyAgent() {
  try {
    const [agent, pool, connect] = await Promise.all([
      import("undici/lib/dispatcher/proxy-agent.js"),
      import("undici/lib/dispatcher/pool.js"),
      import("undici/lib/api/api-connect.js"),
    ]);
    return { ProxyAgent: agent.default, Pool: pool.default, connect: connect.default };
  } catch {
    const { ProxyAgent, Pool } = await loadIndex();
    return { ProxyAgent, Pool, connect: Pool.prototype.connect };
  }
}

async function loadIndex() {
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
