import type { Agent, buildConnector, Dispatcher } from "undici";
import { ConfigurationError } from "../errors/errors.ts";
import { isLoopback, readEnvironment } from "../runtime/environment.ts";
import { ProxyFailure } from "./explain.ts";
import { type Connector, SocketTracker, skipInterimAnswers } from "./sockets.ts";
import type { DispatcherLike } from "./transport.ts";

/** A dispatcher that we create and therefore close. */
type OwnedDispatcher = DispatcherLike & { close(): Promise<void> };

/** The dispatchers that a client creates for itself: one for direct connections, and one for those through a proxy. */
export class OwnAgents {
  readonly sockets = new SocketTracker();
  readonly #direct = new LazyAgent(() => openAgent(this.sockets));
  readonly #proxied = new LazyAgent(() => openProxyAgent(this.sockets));
  /** Which of them an origin needs: decided by its first request, because reading the environment is slow. */
  readonly #byOrigin = new Map<string, LazyAgent>();
  #closing: Promise<unknown> | undefined;

  /**
   * Returns the dispatcher for an origin. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case, are honoured as undici
   * reads them. Loopback is never proxied.
   */
  dispatcherFor(origin: string): DispatcherLike | Promise<DispatcherLike> {
    let agent = this.#byOrigin.get(origin);
    if (agent === undefined) {
      const isDirect = isLoopback(new URL(origin).hostname) || !hasProxy();
      agent = isDirect ? this.#direct : this.#proxied;
      this.#byOrigin.set(origin, agent);
    }
    return agent.get();
  }

  /** Closes them when the calls in flight are done. */
  async close(): Promise<void> {
    this.#closing ??= Promise.all([this.#direct.close(), this.#proxied.close()]);
    await this.#closing;
  }
}

/** An agent that is created by the first call, because loading undici takes longer than many programs take to start. */
class LazyAgent {
  #agent: OwnedDispatcher | Promise<OwnedDispatcher> | undefined;
  readonly #open: () => Promise<OwnedDispatcher>;

  constructor(open: () => Promise<OwnedDispatcher>) {
    this.#open = open;
  }

  get(): OwnedDispatcher | Promise<OwnedDispatcher> {
    this.#agent ??= this.#load();
    return this.#agent;
  }

  async close(): Promise<void> {
    // An agent that could not be created has nothing to close.
    const agent = await Promise.resolve(this.#agent).catch(() => undefined);
    await agent?.close();
  }

  async #load(): Promise<OwnedDispatcher> {
    try {
      const agent = await this.#open();
      this.#agent = agent;
      return agent;
    } catch (error) {
      // Somebody may have fixed it before the next call.
      this.#agent = undefined;
      throw error;
    }
  }
}

function hasProxy(): boolean {
  return (eitherCase("http_proxy") || eitherCase("https_proxy")) !== "";
}

function eitherCase(name: string): string {
  return readEnvironment(name) ?? readEnvironment(name.toUpperCase()) ?? "";
}

/** Without undici's own connect timeout, which would come before ours, or after it. */
const unlimited = { timeout: 0 };

async function openAgent(sockets: SocketTracker): Promise<OwnedDispatcher> {
  const { Agent, buildConnector } = await loadAgent();
  return new Agent({ connect: directConnector(buildConnector(unlimited), sockets) });
}

/** Opens the sockets that lead directly to a service. */
function directConnector(connector: Connector, sockets: SocketTracker): Connector {
  return sockets.track((options, callback) =>
    connector(options, (...opened: Parameters<typeof callback>) => {
      if (opened[1]) skipInterimAnswers(opened[1]);
      callback(...opened);
    }),
  );
}

async function openProxyAgent(sockets: SocketTracker): Promise<OwnedDispatcher> {
  const { EnvHttpProxyAgent, Pool, buildConnector, connect } = await loadProxyAgent();
  try {
    return new EnvHttpProxyAgent({
      httpProxy: eitherCase("http_proxy"),
      httpsProxy: eitherCase("https_proxy"),
      noProxy: eitherCase("no_proxy"),
      connect: directConnector(buildConnector(unlimited), sockets),
      proxyTls: unlimited,
      requestTls: unlimited,
      // Creates the pool of connections to the proxy itself.
      clientFactory: (origin: URL, options: { connect: Connector }) => {
        const pool = new Pool(origin, {
          ...options,
          connect: sockets.track(options.connect),
          headersTimeout: 0,
        });
        // The agent calls `connect` for each tunnel. Only undici's index adds that method.
        return Object.assign(pool, {
          connect: (request: Dispatcher.ConnectOptions) =>
            openTunnel(connect.bind(pool) as Connect, request, origin),
        });
      },
    });
  } catch {
    // Without the cause: undici quotes the address, which may hold a password.
    throw new ConfigurationError(
      "HTTP_PROXY or HTTPS_PROXY is no address of a proxy. Expected it to be like http://proxy.example.com:3128.",
    );
  }
}

type Connect = (request: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/**
 * Opens a tunnel through a proxy. By default undici treats a proxy that disconnects like a service that does: it retries at
 * once and without end, a thousand times a second, even if the call has ended. An error of our own stops that and names the
 * proxy.
 */
async function openTunnel(
  connect: Connect,
  request: Dispatcher.ConnectOptions,
  { origin }: URL,
): Promise<Dispatcher.ConnectData> {
  const answer = await connect(request).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new ProxyFailure(`the proxy at ${origin} failed: ${reason}`, { cause });
  });
  const { statusCode: status, socket } = answer;
  // Any success opens the tunnel (RFC 9110, 9.3.6), but undici accepts only 200.
  if (status >= 200 && status < 300) return { ...answer, statusCode: 200 };
  socket.on("error", () => {}).destroy();
  throw new ProxyFailure(`the proxy at ${origin} answered ${status}`, { status });
}

/**
 * Loads only the files that are needed. Undici's index loads far more and installs a global dispatcher. It is the fallback in
 * case a later undici 7 hides its inner files behind an `exports` map.
 */
async function loadAgent(): Promise<AgentParts> {
  const required = requireAgent();
  if (required) return required;
  try {
    const [{ default: Agent }, { default: buildConnector }] = await Promise.all([
      import("undici/lib/dispatcher/agent.js"),
      import("undici/lib/core/connect.js"),
    ]);
    return { Agent, buildConnector };
  } catch {
    return loadIndex();
  }
}

interface AgentParts {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Requires them if this file is where the package was installed: that is faster than `import()`, which first searches CommonJS
 * for names to export. From within a bundle, it could find another undici than the bundled one; and some bundlers report the
 * original location of this file.
 */
function requireAgent(): AgentParts | undefined {
  const { url } = import.meta;
  if (!/\/node_modules\/template-pdf\/dist\/platform\/node\.js$/.test(url)) return undefined;
  try {
    const load = process.getBuiltinModule("node:module").createRequire(url);
    const Agent = load("undici/lib/dispatcher/agent.js");
    // Undici 6: see `transports.objectionTo`.
    if ("interceptors" in Agent.prototype) return undefined;
    return { Agent, buildConnector: load("undici/lib/core/connect.js") };
  } catch {
    return undefined;
  }
}

async function loadProxyAgent() {
  try {
    const [
      { default: EnvHttpProxyAgent },
      { default: Pool },
      { default: connect },
      { default: buildConnector },
    ] = await Promise.all([
      import("undici/lib/dispatcher/env-http-proxy-agent.js"),
      import("undici/lib/dispatcher/pool.js"),
      import("undici/lib/api/api-connect.js"),
      import("undici/lib/core/connect.js"),
    ]);
    return { EnvHttpProxyAgent, Pool, buildConnector, connect };
  } catch {
    const { EnvHttpProxyAgent, Pool, buildConnector } = await loadIndex();
    return { EnvHttpProxyAgent, Pool, buildConnector, connect: Pool.prototype.connect };
  }
}

async function loadIndex() {
  try {
    return await import("undici");
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split("\n");
    throw new ConfigurationError(
      `undici, which carries the requests in Node, could not be loaded (${reason}). Nothing was sent. Install it beside this package; in a bundle that is an ES module leave it outside (esbuild: --external:undici); or give \`fetch: globalThis.fetch\`.`,
      { cause },
    );
  }
}
