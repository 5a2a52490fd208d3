import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { ConfigurationError } from "template-pdf";
import { Agent, type Dispatcher, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { clientOf, pdfFrom, sourceOf, startService } from "./service.ts";

const path = "/api/v1/templates/inv_2024/generate-sync";

const fetchFrom = (source: string) => vi.fn(async () => new Response(pdfFrom(source)));

/** Answers everything at `origin` by itself. */
function mockAgent(origin: string, source: string): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent.get(origin).intercept({ path, method: "POST" }).reply(200, pdfFrom(source)).persist();
  onTestFinished(() => agent.close());
  return agent;
}

/** Sets the global dispatcher until the test has finished, or until the returned function is called. */
function useGlobally(dispatcher: Dispatcher): () => void {
  const before = getGlobalDispatcher();
  setGlobalDispatcher(dispatcher);
  const restore = () => setGlobalDispatcher(before);
  onTestFinished(restore);
  return restore;
}

/** Puts a `fetch` into the global scope until the test has finished. */
function stubFetch(fetch: () => Promise<Response>): void {
  vi.stubGlobal("fetch", fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
}

describe("what carries a request", () => {
  it("is undici with connections of its own, where nobody said otherwise", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    expect(client.transport).toBe("undici");
    expect(await sourceOf(client)).toBe("network");
  });

  it("is in this order: `fetch`, global fetch, global dispatcher, its own", async () => {
    const service = await startService();
    const plain = clientOf(service.origin);
    const withFetch = clientOf(service.origin, { fetch: fetchFrom("the fetch option") });

    const restore = useGlobally(mockAgent(service.origin, "the global dispatcher"));
    expect([plain.transport, await sourceOf(plain)]).toEqual(["undici", "the global dispatcher"]);
    stubFetch(fetchFrom("the global fetch"));
    expect([plain.transport, await sourceOf(plain)]).toEqual(["fetch", "the global fetch"]);
    expect([withFetch.transport, await sourceOf(withFetch)]).toEqual(["fetch", "the fetch option"]);

    vi.unstubAllGlobals();
    restore();
    expect([plain.transport, await sourceOf(plain)]).toEqual(["undici", "network"]);
    expect([withFetch.transport, await sourceOf(withFetch)]).toEqual(["fetch", "the fetch option"]);
  });

  it("is the `dispatcher` option before any global", async () => {
    const service = await startService();
    const client = clientOf(service.origin, {
      dispatcher: mockAgent(service.origin, "the dispatcher option"),
    });
    useGlobally(mockAgent(service.origin, "the global dispatcher"));
    stubFetch(fetchFrom("the global fetch"));
    expect([client.transport, await sourceOf(client)]).toEqual(["undici", "the dispatcher option"]);
  });

  it("cannot be a `fetch` and a `dispatcher` at once", () => {
    const both = { fetch: fetchFrom("fetch"), dispatcher: new Agent() };
    expect(() => clientOf("http://127.0.0.1:1", both)).toThrow(ConfigurationError);
    expect(() => clientOf("http://127.0.0.1:1").with(both)).toThrow(ConfigurationError);
  });

  it("is in a sibling what was given last", async () => {
    const { origin } = await startService();
    const byFetch = clientOf(origin, { fetch: fetchFrom("fetch") });
    const byDispatcher = byFetch.with({ dispatcher: mockAgent(origin, "dispatcher") });
    const byFetchAgain = byDispatcher.with({ fetch: fetchFrom("fetch again") });
    const inherited = byDispatcher.with({ apiKey: "another" });
    expect(await Promise.all([byFetch, byDispatcher, byFetchAgain, inherited].map(sourceOf))).toEqual([
      "fetch",
      "dispatcher",
      "fetch again",
      "dispatcher",
    ]);
  });

  it("is never a dispatcher of undici 6, which is refused when the client is made", () => {
    class OldAgent {
      get interceptors() {
        return undefined;
      }
      dispatch() {
        return true;
      }
    }
    const make = () => clientOf("http://127.0.0.1:1", { dispatcher: new OldAgent() });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/undici 6/);
  });

  it("may be a dispatcher that shows its generation only when it is used", async () => {
    const dispatch = (_options: unknown, handler: { onConnect(abort: () => void): void }) => {
      handler.onConnect(() => {});
      return true;
    };
    const document = clientOf("http://127.0.0.1:1", { dispatcher: { dispatch } }).generate("inv_2024", {});
    await expect(document.bytes()).rejects.toThrow(ConfigurationError);
  });
});

describe("mocks and tracers, without any configuration", () => {
  const handlers = [http.post(`*${path}`, () => new HttpResponse(pdfFrom("msw")))];

  it.each(["before", "after"])(
    "MSW that listens %s the client is made answers, and leaves again",
    async (when) => {
      const service = await startService();
      const early = when === "after" ? clientOf(service.origin) : undefined;
      const mock = setupServer(...handlers);
      mock.listen({ onUnhandledRequest: "error" });
      onTestFinished(() => mock.close());
      const client = early ?? clientOf(service.origin);
      expect([client.transport, await sourceOf(client)]).toEqual(["fetch", "msw"]);
      expect(service.allSockets).toBe(0);
      mock.close();
      expect([client.transport, await sourceOf(client)]).toEqual(["undici", "network"]);
    },
  );

  it("MSW may come between two calls of a client that has sockets already", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    const mock = setupServer(...handlers);
    onTestFinished(() => mock.close());
    const sources = [await sourceOf(client)];
    mock.listen();
    sources.push(await sourceOf(client));
    mock.close();
    sources.push(await sourceOf(client));
    expect(sources).toEqual(["network", "msw", "network"]);
  });

  it("MSW's fault on the network is a failed connection", async () => {
    const mock = setupServer(http.post(`*${path}`, () => HttpResponse.error()));
    mock.listen();
    onTestFinished(() => mock.close());
    const document = clientOf("http://service.test", { allowInsecureHttp: true }).generate("inv_2024", {});
    await expect(document.bytes()).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("a stubbed global fetch is called, and only while it is there", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    const stub = fetchFrom("stub");
    stubFetch(stub);
    expect([client.transport, await sourceOf(client)]).toEqual(["fetch", "stub"]);
    vi.unstubAllGlobals();
    expect([client.transport, await sourceOf(client)]).toEqual(["undici", "network"]);
    expect(stub).toHaveBeenCalledOnce();
  });

  it("a wrapper around the global fetch sees the request", async () => {
    const service = await startService();
    const real = globalThis.fetch;
    const seen: unknown[] = [];
    vi.stubGlobal("fetch", (...call: Parameters<typeof fetch>) => {
      seen.push(call[0]);
      return real(...call);
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await sourceOf(clientOf(service.origin))).toBe("network");
    expect(seen).toEqual([service.origin + path]);
  });

  it("a dispatcher composed onto an agent and set globally sees the request", async () => {
    const service = await startService();
    const seen: unknown[] = [];
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const tracer: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      seen.push(options.path);
      return dispatch(options, handler);
    };
    useGlobally(agent.compose(tracer));
    const client = clientOf(service.origin);
    expect([client.transport, await sourceOf(client)]).toEqual(["undici", "network"]);
    expect(seen).toEqual([path]);
  });

  it("a subclass of Agent set globally is used", async () => {
    const service = await startService();
    const seen: unknown[] = [];
    class Tracer extends Agent {
      override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
        seen.push(options.path);
        return super.dispatch(options, handler);
      }
    }
    const tracer = new Tracer();
    onTestFinished(() => tracer.close());
    useGlobally(tracer);
    await sourceOf(clientOf(service.origin));
    expect(seen).toEqual([path]);
  });

  it("a plain agent set globally is nobody's wish", async () => {
    const service = await startService();
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const dispatch = vi.spyOn(Agent.prototype, "dispatch");
    onTestFinished(() => dispatch.mockRestore());
    useGlobally(agent);
    await sourceOf(clientOf(service.origin));
    expect(dispatch.mock.contexts).not.toContain(agent);
  });
});
