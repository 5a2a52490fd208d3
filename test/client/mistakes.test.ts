import { describe, expect, it, vi } from "vitest";
import * as face from "../../src/index.ts";
import { pdfOf, rejectionOf, Service } from "../support/service.ts";
import { generate } from "./every-form.ts";

const { ConfigurationError, TemplatePdf } = face;
const secret = "sk_live_0123456789";

/** What is thrown when a client is made of `options`, which no compiler has seen. */
function refusalOf(options: unknown): Error {
  try {
    new TemplatePdf(options as never);
  } catch (error) {
    return error as Error;
  }
  throw new Error("This was expected to be refused.");
}

const client = () => new TemplatePdf({ baseUrl: "http://127.0.0.1:9", apiKey: secret });

describe("a mistake of beginners", () => {
  it.each([
    ["the key in place of the options", () => refusalOf(secret)],
    [
      "the key as another option",
      () => refusalOf({ baseUrl: "http://localhost", apiKey: secret, verify: secret }),
    ],
    [
      "the key as credentials",
      () => refusalOf({ baseUrl: "http://localhost", apiKey: "k", credentials: secret }),
    ],
    [
      "the key as a header's name",
      () => refusalOf({ apiKey: "k", baseUrl: "http://localhost", headers: { [`API-Key ${secret}`]: "" } }),
    ],
    [
      "the key as the options of a call",
      () =>
        rejectionOf(
          client()
            .generate("inv", {}, secret as never)
            .bytes(),
        ),
    ],
    [
      "the key as the options of a sibling",
      () => rejectionOf(Promise.resolve().then(() => client().with(secret as never))),
    ],
  ])("does not put the key into a message: %s", async (_, refuse) => {
    const error = await refuse();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String((error as Error).stack)).not.toContain(secret);
  });

  it.each([
    ["timout", "timeouts"],
    ["retries", "retry"],
    ["colour", undefined],
    ["apikey", "apiKey"],
    ["baseURL", "baseUrl"],
    ["maxByte", "maxBytes"],
    ["logger", undefined],
    ["foo", undefined],
  ])("names the option that %s is like, if there is one", (name, nearest) => {
    const { message } = refusalOf({ [name]: 1 });
    expect(message).toContain(`\`${name}\``);
    if (nearest) expect(message).toContain(`Did you mean \`${nearest}\`?`);
    else expect(message).not.toContain("Did you mean");
  });

  it("says how a signal is given", async () => {
    const error = await rejectionOf(
      client()
        .generate("inv", {}, AbortSignal.abort() as never)
        .bytes(),
    );
    expect(String(error)).toContain("{ signal }");
  });

  it("says which argument comes first", async () => {
    const error = await rejectionOf(
      client()
        .generate({ a: 1 } as never, "inv" as never)
        .bytes(),
    );
    expect(String(error)).toMatch(/got object: it comes first, then the values/);
  });

  it("says that a Promise among the values has to be awaited", async () => {
    const error = await rejectionOf(
      client()
        .generate("inv", { total: Promise.resolve("1") })
        .bytes(),
    );
    expect(String(error)).toContain("values.total is a Promise: await it first");
  });

  it.each([
    ["a plain object", async () => ({ ok: true, status: 200, arrayBuffer: async () => new ArrayBuffer(8) })],
    ["nothing", async () => undefined],
  ])("says that a mock of fetch gave no Response but %s", async (_, fetch) => {
    const mocked = client().with({ fetch: fetch as never });
    const error = await rejectionOf(mocked.generate("inv", {}).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("gave no Response");
  });

  it.each([200, 500])("says that a mock of fetch gave one Response twice, of status %i", async (status) => {
    const fetch = vi.fn().mockResolvedValue(new Response("%PDF-1.4 %%EOF", { status }));
    const mocked = client().with({ fetch, retry: { limit: 1 } });
    await Promise.allSettled([mocked.generate("inv", {}, { retry: false }).bytes()]);
    const error = await rejectionOf(mocked.generate("inv", {}).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("has been read before");
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it("says that a runtime has no fetch", async () => {
    vi.stubGlobal("fetch", undefined);
    try {
      const { transports } = await import("../../src/platform/web.ts");
      const failure = await new Promise((resolve) => {
        const receiver = { onSent() {}, onHead() {}, onChunk() {}, onEnd() {}, onFailure: resolve };
        const request = { origin: "http://127.0.0.1:9", path: "/", headers: [], body: "{}" };
        transports.openPool().current({}).open(request, receiver).send();
      });
      expect(failure).toBeInstanceOf(ConfigurationError);
      expect(String(failure)).toContain("has no `fetch`");
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("finds out at a 404 that the base URL says /api/v1 already", async () => {
    const service = await Service.start(({ response }) => response.writeHead(404).end());
    const error = await rejectionOf(
      generate(service.client({ baseUrl: `${service.baseUrl}/api/v1` })).bytes(),
    );
    expect(String(error)).toContain("The client itself adds /api/v1");
  });

  it("calls the statics of Promise on a pending document's class: a clear error, and nothing unhandled", () => {
    const pending = generate(client());
    pending.catch(() => {});
    expect(() => (pending.constructor as PromiseConstructor).resolve(1)).toThrow(/made by `generate` only/);
  });
});

describe("a test runner that stops the timers", () => {
  it("does not stop a call with them: queueMicrotask is one to Jest", async () => {
    const chunks = [new Uint8Array(pdfOf(2_000))];
    // Not a `Response`: Node's own needs that function, and in Jest's sandbox still has it.
    const answer = {
      status: 200,
      type: "basic",
      headers: new Headers(),
      body: {
        cancel: async () => {},
        getReader: () => ({
          cancel: async () => {},
          read: async () => ({ done: chunks.length === 0, value: chunks.pop() }),
        }),
      },
    };
    vi.stubGlobal("queueMicrotask", () => {});
    try {
      const mocked = client().with({ fetch: async () => answer });
      expect((await generate(mocked).bytes()).length).toBe(2_000);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("names that people see", () => {
  it("are those of the exports", () => {
    for (const [name, value] of Object.entries(face)) {
      if (typeof value === "function") expect(value.name).toBe(name);
    }
  });
});
