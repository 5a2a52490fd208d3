import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { ConfigurationError } from "template-pdf";
import { type Dispatcher, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { clientOf, pdfFrom, sourceOf, startService } from "../support/service.ts";

const path = "/api/v1/templates/inv_2024/generate-sync";

const fetchFrom = (source: string) => vi.fn(async () => new Response(pdfFrom(source)));

/** Responds to every request to `origin`. */
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

describe("a client's transport", () => {
  it("is the `fetch` option, a global fetch, a global dispatcher or its own undici, in this order", async () => {
    const service = await startService();
    const plain = clientOf(service.baseUrl);
    const withFetch = clientOf(service.baseUrl, { fetch: fetchFrom("the fetch option") });

    const restore = useGlobally(mockAgent(service.baseUrl, "the global dispatcher"));
    expect({ transport: plain.transport, source: await sourceOf(plain) }).toEqual({
      transport: "undici",
      source: "the global dispatcher",
    });
    stubFetch(fetchFrom("the global fetch"));
    expect({ transport: plain.transport, source: await sourceOf(plain) }).toEqual({
      transport: "fetch",
      source: "the global fetch",
    });
    expect({ transport: withFetch.transport, source: await sourceOf(withFetch) }).toEqual({
      transport: "fetch",
      source: "the fetch option",
    });

    vi.unstubAllGlobals();
    restore();
    expect({ transport: plain.transport, source: await sourceOf(plain) }).toEqual({
      transport: "undici",
      source: "network",
    });
    expect({ transport: withFetch.transport, source: await sourceOf(withFetch) }).toEqual({
      transport: "fetch",
      source: "the fetch option",
    });
  });

  it("is the `dispatcher` option even if a global fetch or dispatcher exists", async () => {
    const { baseUrl } = await startService();
    const client = clientOf(baseUrl, { dispatcher: mockAgent(baseUrl, "the dispatcher option") });
    useGlobally(mockAgent(baseUrl, "the global dispatcher"));
    stubFetch(fetchFrom("the global fetch"));
    expect({ transport: client.transport, source: await sourceOf(client) }).toEqual({
      transport: "undici",
      source: "the dispatcher option",
    });
  });

  it("cannot be a dispatcher from undici 6", () => {
    const dispatcher = Object.create({ interceptors: undefined, dispatch: () => true });
    const create = () => clientOf("http://127.0.0.1:1", { dispatcher });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(/undici 6/);
  });
});

describe("MSW without any configuration", () => {
  it.each(["before", "after"])(
    "intercepts requests if it is started %s the client's first call",
    async (when) => {
      const service = await startService();
      const client = clientOf(service.baseUrl);
      if (when === "after") expect(await sourceOf(client)).toBe("network");
      const connections = service.allConnections;
      const mock = setupServer(http.post(`*${path}`, () => new HttpResponse(pdfFrom("msw"))));
      mock.listen({ onUnhandledRequest: "error" });
      onTestFinished(() => mock.close());
      expect({ transport: client.transport, source: await sourceOf(client) }).toEqual({
        transport: "fetch",
        source: "msw",
      });
      expect(service.allConnections).toBe(connections);
      mock.close();
      expect({ transport: client.transport, source: await sourceOf(client) }).toEqual({
        transport: "undici",
        source: "network",
      });
    },
  );
});
