import type { Agent, buildConnector } from "undici";
import { ConfigurationError } from "../errors/errors.ts";
import { isLoopback, readEnvironment } from "../runtime/environment.ts";
import { skipInterimAnswers } from "./interim-answers.ts";
import { type Connector, SocketOpener } from "./socket-opener.ts";
import { asking } from "./tunnel.ts";
import type { DispatcherLike } from "./types.ts";

/** A dispatcher that we made and therefore close. */
type OwnedDispatcher = DispatcherLike & { close(): Promise<void> };

/** The dispatchers that a client makes for itself: one that goes straight, and one that goes by a proxy. */
export class OwnAgents {
  readonly opener = new SocketOpener();
  readonly #direct = new Lazy(() => openAgent(this.opener));
  readonly #proxied = new Lazy(() => openProxyAgent(this.opener));
  /** Which of them an origin needs: decided at its first request, because reading the environment is slow. */
  readonly #byOrigin = new Map<string, Lazy>();

  /**
   * Gives the dispatcher for an origin. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case, are
   * honoured as undici reads them; this machine itself is never reached by a proxy.
   */
  dispatcherFor(origin: string): DispatcherLike | Promise<DispatcherLike> {
    let chosen = this.#byOrigin.get(origin);
    if (chosen === undefined) {
      const straight = isLoopback(new URL(origin).hostname) || !hasProxy();
      chosen = straight ? this.#direct : this.#proxied;
      this.#byOrigin.set(origin, chosen);
    }
    return chosen.get();
  }

  /** Closes them when the calls in flight are done. */
  async close(): Promise<void> {
    await Promise.all([this.#direct.close(), this.#proxied.close()]);
  }
}

/** Made at the first call, because loading undici costs more than many a start-up. */
class Lazy {
  #made: OwnedDispatcher | undefined;
  #making: Promise<OwnedDispatcher> | undefined;
  #closing: Promise<void> | undefined;
  readonly #make: () => Promise<OwnedDispatcher>;

  constructor(make: () => Promise<OwnedDispatcher>) {
    this.#make = make;
  }

  get(): OwnedDispatcher | Promise<OwnedDispatcher> {
    return this.#made ?? this.#load();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #load(): Promise<OwnedDispatcher> {
    this.#making ??= this.#make().then(
      (made) => {
        this.#made = made;
        return made;
      },
      (error) => {
        // The next call may find it mended.
        this.#making = undefined;
        throw error;
      },
    );
    return this.#making;
  }

  async #end(): Promise<void> {
    // What could not be made has nothing to close.
    const made = await this.#making?.catch(() => undefined);
    await made?.close();
  }
}

function hasProxy(): boolean {
  return (eitherCase("http_proxy") || eitherCase("https_proxy")) !== "";
}

/** Undici's own limit on connecting would come before ours, or after it. */
const unlimited = { timeout: 0 };

async function openAgent(opener: SocketOpener): Promise<OwnedDispatcher> {
  const { Agent, buildConnector } = await loadAgent();
  return new Agent({ connect: directConnector(buildConnector(unlimited), opener) });
}

/** Opens the sockets that lead straight to a service. */
function directConnector(connector: Connector, opener: SocketOpener): Connector {
  return opener.watch((options, callback) =>
    connector(options, (...opened: Parameters<typeof callback>) => {
      if (opened[1]) skipInterimAnswers(opened[1]);
      callback(...opened);
    }),
  );
}

async function openProxyAgent(opener: SocketOpener): Promise<OwnedDispatcher> {
  const { EnvHttpProxyAgent, Pool, buildConnector, connect } = await loadProxyAgent();
  try {
    return new EnvHttpProxyAgent({
      httpProxy: eitherCase("http_proxy"),
      httpsProxy: eitherCase("https_proxy"),
      noProxy: eitherCase("no_proxy"),
      connect: directConnector(buildConnector(unlimited), opener),
      proxyTls: unlimited,
      requestTls: unlimited,
      // The pool of the proxy's own connections. The agent asks it to `connect`, a method that only undici's index adds.
      clientFactory: (origin: URL, options: { connect: Connector }) =>
        asking(
          new Pool(origin, { ...options, connect: opener.watch(options.connect), headersTimeout: 0 }),
          connect,
          origin,
        ),
    });
  } catch {
    // Without the cause: undici quotes the address, which may hold a password.
    throw new ConfigurationError(
      "HTTP_PROXY or HTTPS_PROXY is no address of a proxy. Expected it to be like http://proxy.example.com:3128.",
    );
  }
}

function eitherCase(name: string): string {
  return readEnvironment(name) ?? readEnvironment(name.toUpperCase()) ?? "";
}

/**
 * Loads what is needed and no more. Undici's index loads far more and installs a global dispatcher on the way; it
 * is the fallback, should a later undici 7 hide its inner files behind an `exports` map.
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
 * Requires them where this file stands as it was installed: that takes less time than `import()`, which first searches
 * CommonJS for names to export. From within a bundle, another undici could be found than the one that was bundled; and
 * some bundlers let a file believe that it still stands where it came from.
 */
function requireAgent(): AgentParts | undefined {
  const { url } = import.meta;
  if (!/\/node_modules\/template-pdf\/dist\/platform\/node\.js$/.test(url)) return undefined;
  try {
    const load = process.getBuiltinModule("node:module").createRequire(url);
    const Agent = load("undici/lib/dispatcher/agent.js");
    // Of undici 6, see `transports.objectionTo`.
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
