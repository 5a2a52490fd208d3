import { ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(2_000);

describe("the API key", () => {
  it("null sends no authorization, or the caller's own", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client({ apiKey: null });
    await generate(client).bytes();
    await generate(client, { headers: { authorization: "Bearer of-the-call" } }).bytes();
    await generate(client.with({ headers: { Authorization: "Bearer of-the-client" } })).bytes();
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      "Bearer of-the-call",
      "Bearer of-the-client",
    ]);
  });

  it("source is asked once for every call, however many forms are asked for", async () => {
    const service = await Service.start(withLength(pdf));
    const apiKey = vi.fn(async () => `key-${apiKey.mock.calls.length}`);
    const client = service.client({ apiKey });
    expect(apiKey).not.toHaveBeenCalled();
    for (let count = 0; count < 3; count++) {
      const pending = generate(client);
      await Promise.allSettled([pending.bytes(), pending.blob(), pending]);
    }
    expect(apiKey).toHaveBeenCalledTimes(3);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      "API-Key key-1",
      "API-Key key-2",
      "API-Key key-3",
    ]);
  });

  it("source may give its key at once", async () => {
    const service = await Service.start(withLength(pdf));
    await generate(service.client({ apiKey: () => "at-once" })).bytes();
    expect((await service.request()).headers.authorization).toBe("API-Key at-once");
  });

  it.each([
    ["rejects", () => Promise.reject(new TypeError("CANARY"))],
    [
      "throws",
      () => {
        throw new TypeError("CANARY");
      },
    ],
    ["rejects with no error", () => Promise.reject("CANARY")],
    ["gives a key with a line break", () => "CANARY\n"],
    ["gives a key with the scheme", async () => "API-Key CANARY"],
    ["gives nothing", () => undefined as unknown as string],
    ["gives null", () => null as unknown as string],
    ["gives an empty string", () => ""],
  ])("source that %s is a ConfigurationError without the value, and nothing is sent", async (_, apiKey) => {
    const service = await Service.start(withLength(pdf));
    const error = await rejectionOf(generate(service.client({ apiKey })).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).cause}`).not.toContain("CANARY");
    await turns();
    expect(service.requests).toHaveLength(0);
  });

  it("source is not asked where the call is wrong, or was aborted before", async () => {
    const service = await Service.start(withLength(pdf));
    const apiKey = vi.fn(() => "key");
    const client = service.client({ apiKey });
    await rejectionOf(client.generate("..", {}));
    await rejectionOf(generate(client, { signal: AbortSignal.abort() }));
    expect(apiKey).not.toHaveBeenCalled();
  });

  it("of one tenant is never sent for another, in 100 calls at once", async () => {
    const service = await Service.start(({ headers, body, response }) => {
      const { tenant } = JSON.parse(body) as { tenant: string };
      const isOwn = headers.authorization === `API-Key key-of-${tenant}` && headers["x-tenant"] === tenant;
      (isOwn ? withLength(pdf) : saying(403))({ headers, body, response } as never);
    });
    const client = service.client({ apiKey: "key-of-nobody" });
    const tenants = Array.from({ length: 10 }, (_, index) => {
      const key = `key-of-${index}`;
      const apiKey = index % 2 ? key : () => new Promise<string>((resolve) => setImmediate(resolve, key));
      return client.with({ apiKey, headers: { "x-tenant": String(index) } });
    });
    const calls = Array.from({ length: 100 }, (_, index) =>
      tenants[index % 10]?.generate("uid", { tenant: String(index % 10) }).bytes(),
    );
    for (const bytes of await Promise.all(calls)) expect(bytes).toHaveLength(2_000);
    expect(await rejectionOf(client.generate("uid", { tenant: "1" }).bytes())).toMatchObject({ status: 403 });
  });

  it("that rotates is never mixed up, in 100 calls at once", async () => {
    const service = await Service.start(withLength(pdf));
    let asked = 0;
    const client = service.client({ apiKey: async () => `key-${asked++}` });
    await Promise.all(Array.from({ length: 100 }, () => generate(client).bytes()));
    const keys = service.requests.map(({ headers }) => headers.authorization);
    expect(new Set(keys).size).toBe(100);
  });
});

describe("the environment", () => {
  beforeEach(() => {
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "https://environment.example.com");
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "key-of-the-environment");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const sent = async (options: ConstructorParameters<typeof TemplatePdf>[0]) => {
    const calls: [string, string | undefined][] = [];
    const fetch = async (url: string, init: { headers: [string, string][] }) => {
      calls.push([url, new Map(init.headers).get("authorization")]);
      return new Response(new Uint8Array(pdf));
    };
    await generate(new TemplatePdf({ fetch, ...options })).bytes();
    return calls[0];
  };
  const path = "/api/v1/templates/inv_2024/generate-sync";

  it("gives what is missing", async () => {
    expect(await sent({})).toEqual([
      `https://environment.example.com${path}`,
      "API-Key key-of-the-environment",
    ]);
    expect(await sent({ baseUrl: undefined, apiKey: undefined })).toEqual(await sent({}));
  });

  it("is not asked for what is given", async () => {
    expect(await sent({ baseUrl: "https://given.example.com" })).toEqual([
      `https://given.example.com${path}`,
      "API-Key key-of-the-environment",
    ]);
    expect(await sent({ apiKey: "given" })).toEqual([
      `https://environment.example.com${path}`,
      "API-Key given",
    ]);
    expect(await sent({ apiKey: null })).toEqual([`https://environment.example.com${path}`, undefined]);
    expect(() => new TemplatePdf({ apiKey: "" })).toThrow(ConfigurationError);
    expect(() => new TemplatePdf({ baseUrl: "" })).toThrow(ConfigurationError);
  });

  it("counts as missing where it is empty", () => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "");
    expect(() => new TemplatePdf()).toThrow(/API key is missing/);
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "k");
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "");
    expect(() => new TemplatePdf()).toThrow(/base URL of the service is missing/);
  });

  it("is checked as an option is", () => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "CANARY\n");
    expect(() => new TemplatePdf()).toThrow(/line break/);
    expect(() => new TemplatePdf()).not.toThrow(/CANARY/);
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "k");
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "http://pdf.example.com");
    expect(() => new TemplatePdf()).toThrow(/unencrypted/);
  });

  it("is read when the client is made, and its siblings keep what it gave", async () => {
    const fetch = async () => new Response(new Uint8Array(pdf));
    const client = new TemplatePdf({ fetch });
    vi.unstubAllEnvs();
    expect(await generate(client.with({ maxBytes: 5_000 })).bytes()).toHaveLength(2_000);
  });
});

describe("a sibling made by with()", () => {
  it("shares the connections, and has the parent's options but for its own", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client({ headers: { "x-a": "parent" } });
    await generate(client).bytes();
    await turns();
    await generate(client.with({ apiKey: "sibling" })).bytes();
    await turns();
    await generate(client.with({ headers: { "x-b": "sibling" } })).bytes();
    expect(service.connections).toBe(1);
    expect(
      service.requests.map(({ headers }) => [headers.authorization, headers["x-a"], headers["x-b"]]),
    ).toEqual([
      ["API-Key key-of-the-tests", "parent", undefined],
      ["API-Key sibling", "parent", undefined],
      ["API-Key key-of-the-tests", undefined, "sibling"],
    ]);
  });

  it("keeps the parent's headers, though they came as an iterator, or were changed since", async () => {
    const service = await Service.start(withLength(pdf));
    const once = service.client({ headers: new Map([["x-a", "1"]]).entries() });
    await generate(once.with({ maxBytes: 5_000 })).bytes();
    const changing: Record<string, string> = { "x-a": "1" };
    const client = service.client({ headers: changing });
    Object.assign(changing, { "x-a": "2" });
    await generate(client.with({ maxBytes: 5_000 })).bytes();
    expect(service.requests.map(({ headers }) => headers["x-a"])).toEqual(["1", "1"]);
  });

  it("takes a fetch in place of a dispatcher, and the other way round", () => {
    const dispatcher = { dispatch: () => true };
    const client = new TemplatePdf({ baseUrl: "https://example.com", apiKey: "k", dispatcher });
    expect(client.transport).toBe("undici");
    const fetching = client.with({ fetch: globalThis.fetch });
    expect(fetching.transport).toBe("fetch");
    expect(fetching.with({ dispatcher }).transport).toBe("undici");
    expect(fetching.with({ maxBytes: 5 }).transport).toBe("fetch");
  });

  it.each([null, undefined, "options", { unknown: 1 }, { maxBytes: 0 }])("is refused for %j", (options) => {
    const client = new TemplatePdf({ baseUrl: "https://example.com", apiKey: "k" });
    expect(() => client.with(options as never)).toThrow(ConfigurationError);
  });
});
