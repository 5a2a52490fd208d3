import { type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { plainKey, trickyKey } from "./canaries.ts";
import { collectOutput, leaksIn } from "./leaks.ts";
import { generate } from "./output-methods.ts";

// test/options and test/request cover the rules of options. settings.page.test.ts covers the browser bundle.

const good = { baseUrl: "https://pdf.example.com", apiKey: plainKey };
const dispatcher = { dispatch: () => true };
const pdf = pdfOf(2_000);
const completePdf = withLength(pdf);

const refusedOptions: readonly (readonly [string, (key: string) => unknown, RegExp])[] = [
  ["the key passed instead of options", (key) => key, /the client options/],
  ["an omitted key", () => ({ apiKey: undefined }), /API key is missing.*TEMPLATE_PDF_API_KEY/],
  ["an omitted base URL", () => ({ baseUrl: undefined }), /base URL .* is missing.*TEMPLATE_PDF_BASE_URL/],
  ["a key with a line break", (key) => ({ apiKey: `${key}\r\nx-a: b` }), /line break/],
  ["an object as a key", (key) => ({ apiKey: { key } }), /`apiKey` to be a string, or a function.*object/],
  ["the key as the base URL", (key) => ({ baseUrl: key }), /does not begin with https:/],
  ["credentials in the base URL", (key) => ({ baseUrl: `https://u:${key}@a.test` }), /base URL/],
  ["a key in the query of the base URL", (key) => ({ baseUrl: `https://a.test/?key=${key}` }), /has a query/],
  ["the key as `maxBytes`", (key) => ({ maxBytes: key }), /`maxBytes` to be a whole number/],
  ["the key as `verify`", (key) => ({ verify: key }), /`verify` to be a boolean, got a string/],
  ["a number as `allowInsecureHttp`", () => ({ allowInsecureHttp: 1 }), /`allowInsecureHttp` to be a bool/],
  ["a string for a boolean", () => ({ dangerouslyAllowBrowser: "yes" }), /`dangerouslyAllowBrowser` to be a/],
  ["a `fetch` that is not a function", () => ({ fetch: {} }), /`fetch` to be a function/],
  ["an empty `dispatcher`", () => ({ dispatcher: {} }), /`dispatcher` to be an undici disp/],
  ["`fetch` together with `dispatcher`", () => ({ fetch, dispatcher }), /`fetch` or `dispatcher`, not both/],
  ["undici 6 dispatchers", () => ({ dispatcher: { ...dispatcher, interceptors: {} } }), /undici 6.*undici 7/],
  ["the key as `credentials`", (key) => ({ credentials: key }), /`credentials`.*"include"/],
  ["the key as a header's name", (key) => ({ headers: { [`API-Key ${key}`]: "" } }), /A name in `headers`/],
  ["a header with a line break", (key) => ({ headers: { a: `${key}\r\nb: c` } }), /value of the `a` header/],
  ["an auth header", (key) => ({ headers: { Authorization: key } }), /`authorization`.*`apiKey: null`/],
  ["a key over http", () => ({ baseUrl: "http://pdf.example.com" }), /unencrypted.*`allowInsecureHttp: t/],
  [
    "a key over http to x.localhost",
    () => ({ baseUrl: "http://x.localhost:1" }),
    /to x\.localhost:1 unencrypted/,
  ],
  [
    "a key over http to localhost.",
    () => ({ baseUrl: "http://localhost." }),
    /sent to localhost\. unencrypted/,
  ],
];

describe("new TemplatePdf()", () => {
  it.each(refusedOptions)("rejects %s without exposing the key", async (_, given, message) => {
    const wrong = given(trickyKey);
    const options = wrong instanceof Object ? { ...good, apiKey: trickyKey, ...wrong } : wrong;
    const { places, error } = await collectOutput(async () => ({
      error: await rejectionOf((async () => new TemplatePdf(options as ClientOptions))()),
    }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).message).toMatch(message);
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 0 });
    expect((error as ConfigurationError).cause).toBeUndefined();
    expect(leaksIn(places, trickyKey)).toEqual([]);
  });

  it.each<ClientOptions>([
    { baseUrl: "http://127.0.0.1:8080", apiKey: plainKey },
    { baseUrl: "http://pdf.example.com", apiKey: plainKey, allowInsecureHttp: true },
    { baseUrl: "http://pdf.example.com", apiKey: null },
  ])("accepts an `http:` base URL in the options %j", (options) => {
    expect(() => new TemplatePdf(options)).not.toThrow();
  });

  it("creates a client that keeps the base URL's path in its requests", async () => {
    const service = await Service.start(completePdf);
    const baseUrl = new URL(`${service.baseUrl}/pré fix//`);
    await service.client({ baseUrl }).generate("a/../b", {}).bytes();
    const { path } = await service.request();
    expect(path).toBe("/pr%C3%A9%20fix/api/v1/templates/a%2F..%2Fb/generate-sync");
  });
});

describe("call options", () => {
  it("override the client's headers by name, regardless of case", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ headers: { "X-A": "client", "X-B": "client" } });
    await generate(client, { headers: { "x-a": "call", "x-c": "call" } }).bytes();
    const { headers } = await service.request();
    expect(headers).toMatchObject({ "x-a": "call", "x-b": "client", "x-c": "call" });
  });

  it("do not override the client's options with undefined", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ maxBytes: 1_000 });
    const options = { maxBytes: undefined, verify: undefined, headers: undefined, signal: undefined };
    expect(await rejectionOf(generate(client, options).bytes())).toMatchObject({ code: "oversized_pdf" });
    expect(await generate(client, { maxBytes: 2_000 }).bytes()).toHaveLength(2_000);
  });
});

it("a client with a relative base URL can be created outside a browser, but its calls reject", async () => {
  const send = vi.fn();
  const client = new TemplatePdf({ baseUrl: "/api/pdf", fetch: send });
  for (const each of [client, client.with({ retry: false })]) {
    const error = await rejectionOf(generate(each).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(/A relative `baseUrl` works only in a browser\. Pass an absolute URL/);
  }
  expect(send).not.toHaveBeenCalled();
  expect(() => new TemplatePdf({ baseUrl: "/api/pdf", apiKey: plainKey })).toThrow(/begin with https:/);
});

it("a call rejects if its `fetch` does not return a Response", async () => {
  const client = new TemplatePdf({ ...good, fetch: async () => ({}) as never });
  expect(String(await rejectionOf(generate(client)))).toMatch(/`fetch` to return a new Response/);
});

it.each([200, 500])(
  "a call rejects if its `fetch` returns the same Response twice (response status: %i)",
  async (status) => {
    const send = vi.fn().mockResolvedValue(new Response("%PDF-1.4 %%EOF", { status }));
    const client = new TemplatePdf({ ...good, fetch: send, retry: { limit: 1 } });
    await Promise.allSettled([generate(client, { retry: false }).bytes()]);
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("`fetch` to return a new Response for every call");
    expect(send).toHaveBeenCalledTimes(2);
  },
);

describe("a derived client", () => {
  it("shares its parent's connections and can override its parent's options", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ headers: { "x-a": "client" } });
    for (const options of [{}, { apiKey: "derived" }, { headers: { "x-b": "1" } }]) {
      await generate(client.with(options)).bytes();
      await turns();
    }
    expect(service.connections).toBe(1);
    const own = "API-Key key-of-the-tests";
    expect(service.keys).toEqual([own, "API-Key derived", own]);
    const sent = service.requests.map(({ headers }) => [headers["x-a"], headers["x-b"]].join());
    expect(sent).toEqual(["client,", "client,", ",1"]);
  });

  it("keeps its parent's original headers", async () => {
    const service = await Service.start(completePdf);
    const changing: Record<string, string> = { "x-a": "1" };
    const clients = [new Map(Object.entries(changing)).entries(), changing].map((headers) =>
      service.client({ headers }),
    );
    changing["x-a"] = "2";
    for (const client of clients) await generate(client.with({ maxBytes: 5_000 })).bytes();
    expect(service.requests.map(({ headers }) => headers["x-a"])).toEqual(["1", "1"]);
  });

  it("can replace `dispatcher` with `fetch`, and `fetch` with `dispatcher`", () => {
    const client = new TemplatePdf({ ...good, dispatcher });
    const fetching = client.with({ fetch });
    const transports = [client, fetching, fetching.with({ dispatcher }), fetching.with({ maxBytes: 5 })];
    expect(transports.map(({ transport }) => transport)).toEqual(["undici", "fetch", "undici", "fetch"]);
  });

  it("overrides only the timeouts that are set", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ timeouts: { firstByte: 100, total: 30_000 } });
    const derived = client.with({ timeouts: { stall: 5_000, firstByte: undefined } });
    expect(await rejectionOf(generate(derived).bytes())).toMatchObject({ phase: "firstByte", limitMs: 100 });
  });

  it.each([
    [false, { mayRenderTwice: true }, 1],
    [{ limit: 1 }, { mayRenderTwice: true }, 2],
    [{ limit: 1 }, false, 1],
  ] as const)("merges the retry options %j and %j (requests: %d)", async (client, derived, expected) => {
    const service = await Service.start(saying(503, "", { "retry-after": "0" }));
    await rejectionOf(generate(service.client({ retry: client }).with({ retry: derived })).bytes());
    expect(service.requests).toHaveLength(expected);
  });

  it.each([
    null,
    plainKey,
    { unknown: 1 },
    { maxBytes: 0 },
    { timeouts: null },
    { timeouts: { stal: 5 } },
    { retry: 3 },
    { baseUrl: "http://pdf.example.com" },
  ])("cannot be created with the options %j", (options) => {
    const client = new TemplatePdf({ ...good, timeouts: { stall: 100 }, retry: { limit: 1 } });
    expect(() => client.with(options as never)).toThrow(ConfigurationError);
    expect(() => client.with(options as never)).not.toThrow(/CANARY/);
  });
});

describe("the API key", () => {
  it("can be null so that the caller can send an authorization header", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ apiKey: null });
    await generate(client).bytes();
    await generate(client, { headers: { authorization: "Bearer of-the-call" } }).bytes();
    await generate(client.with({ headers: { Authorization: "Bearer of-the-client" } })).bytes();
    expect(service.keys).toEqual([undefined, "Bearer of-the-call", "Bearer of-the-client"]);
  });

  it("can be a function, which runs only once for several outputs of a call", async () => {
    const service = await Service.start(completePdf);
    const apiKey = vi.fn(async () => `key-${apiKey.mock.calls.length}`);
    const client = service.client({ apiKey });
    for (let count = 0; count < 2; count++) {
      const pending = generate(client);
      await Promise.allSettled([pending.bytes(), pending.blob(), pending]);
    }
    expect(service.keys).toEqual(["API-Key key-1", "API-Key key-2"]);
    expect(apiKey).toHaveBeenCalledTimes(2);
  });
});

describe("the environment", () => {
  beforeEach(() => {
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "https://environment.example.com");
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "of-the-environment");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** Generates a document, and returns where the request was sent, and with which API key. */
  const requestOf = async (options: ClientOptions) => {
    const requests: { host: string; authorization: string | undefined }[] = [];
    const fetch = async (url: string, init: { headers: [string, string][] }) => {
      const authorization = new Map(init.headers).get("authorization");
      requests.push({ host: new URL(url).host, authorization });
      return new Response(new Uint8Array(pdf));
    };
    await generate(new TemplatePdf({ fetch, ...options })).bytes();
    return requests[0];
  };
  const ofEnvironment = { host: "environment.example.com", authorization: "API-Key of-the-environment" };
  it.each<[string, ClientOptions, expected: typeof ofEnvironment | object]>([
    ["supplies omitted options", {}, ofEnvironment],
    ["supplies options that are undefined", { apiKey: undefined }, ofEnvironment],
    [
      "does not override a base URL",
      { baseUrl: "https://given.example.com" },
      { ...ofEnvironment, host: "given.example.com" },
    ],
    ["does not override a key", { apiKey: "given" }, { ...ofEnvironment, authorization: "API-Key given" }],
    ["does not replace a null API key", { apiKey: null }, { ...ofEnvironment, authorization: undefined }],
  ])("%s", async (_, options, expected) => {
    expect(await requestOf(options)).toEqual(expected);
  });

  it.each<[string, Record<string, string>, ClientOptions, RegExp]>([
    ["does not supply an empty API key", { TEMPLATE_PDF_API_KEY: "" }, {}, /API key is missing/],
    ["does not supply an empty base URL", { TEMPLATE_PDF_BASE_URL: "" }, {}, /base URL .* is missing/],
    [
      "cannot supply a key with a line break",
      { TEMPLATE_PDF_API_KEY: "CANARY\n" },
      {},
      /^(?!.*CANARY).*line break/s,
    ],
    ["cannot allow plain HTTP", { TEMPLATE_PDF_BASE_URL: "http://pdf.example.com" }, {}, /unencrypted/],
    ["does not replace an empty API key", {}, { apiKey: "" }, /API key is empty/],
  ])("%s", (_, variables, options, message) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(() => new TemplatePdf(options)).toThrow(message);
    expect(() => new TemplatePdf(options)).toThrow(ConfigurationError);
  });

  it("is not read again for derived clients", async () => {
    const fetch = async () => new Response(new Uint8Array(pdf));
    const client = new TemplatePdf({ fetch });
    vi.unstubAllEnvs();
    expect(await generate(client.with({ maxBytes: 5_000 })).bytes()).toHaveLength(2_000);
  });
});
