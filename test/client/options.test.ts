import * as api from "template-pdf";
import { type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

// The rules of each option: test/options and test/request.

const key = "sk_CANARY_0123456789";
const good = { baseUrl: "https://pdf.example.com", apiKey: key };
const dispatcher = { dispatch: () => true };
const whole = withLength(pdfOf(2_000));

const refusedOptions: readonly (readonly [string, unknown, RegExp])[] = [
  ["null instead of options", null, /the client options/],
  ["the key instead of options", key, /the client options/],
  ["no key", { baseUrl: good.baseUrl }, /API key is missing.*TEMPLATE_PDF_API_KEY/],
  ["a key with a line break", { ...good, apiKey: `${key}\n` }, /line break/],
  ["a key with its scheme", { ...good, apiKey: `API-Key ${key}` }, /the word API-Key/],
  ["an object as a key", { ...good, apiKey: { key } }, /`apiKey` to be a string, or a function.*object/],
  ["no base URL", { apiKey: key }, /base URL of the service is missing.*TEMPLATE_PDF_BASE_URL/],
  ["a base URL without a scheme", { ...good, baseUrl: "pdf.example.com" }, /does not begin with https:/],
  ["credentials in the base URL", { ...good, baseUrl: `https://user:${key}@a.example` }, /holds credentials/],
  [
    "a key in the query of the base URL",
    { ...good, baseUrl: `https://a.example/?key=${key}` },
    /has a query/,
  ],
  ["a misspelt option", { ...good, baseURL: good.baseUrl }, /`baseURL`\. Known options: baseUrl, /],
  ["an option of a call", { ...good, signal: AbortSignal.abort() }, /Unknown client option `signal`/],
  ["a name that every object has", { ...good, toString: 1 }, /Unknown client option `toString`/],
  ["0 bytes", { ...good, maxBytes: 0 }, /`maxBytes` to be a whole number.*got `0` \(number\)/],
  ["the key as `verify`", { ...good, verify: key }, /`verify` to be a boolean, got a string/],
  [
    "a number as `allowInsecureHttp`",
    { ...good, allowInsecureHttp: 1 },
    /`allowInsecureHttp` to be a boolean/,
  ],
  [
    "a text as `dangerouslyAllowBrowser`",
    { ...good, dangerouslyAllowBrowser: "yes" },
    /`dangerouslyAllowBrowser` to be a boolean/,
  ],
  ["a `fetch` that is not a function", { ...good, fetch: {} }, /`fetch` to be a function/],
  [
    "a `dispatcher` without `dispatch`",
    { ...good, dispatcher: {} },
    /`dispatcher` to be an undici dispatcher/,
  ],
  ["`fetch` and `dispatcher`", { ...good, fetch, dispatcher }, /`fetch` and `dispatcher`/],
  [
    "a dispatcher of undici 6",
    { ...good, dispatcher: { ...dispatcher, interceptors: {} } },
    /undici 6.*undici 7/,
  ],
  ["the key as `credentials`", { ...good, credentials: key }, /`credentials`.*"include"/],
  ["a text as headers", { ...good, headers: "a: b" }, /`headers` to be an object/],
  [
    "the key as a header's name",
    { ...good, headers: { [`API-Key ${key}`]: "" } },
    /name of one of the `headers`/,
  ],
  ["a header with a line break", { ...good, headers: { a: `${key}\r\nb: c` } }, /value of the header `a`/],
  [
    "an authorization and a key",
    { ...good, headers: { Authorization: key } },
    /`authorization`.*`apiKey: null`/,
  ],
  ["a header of the client itself", { ...good, headers: { Host: "x" } }, /is set by the client/],
  ["null as timeouts", { ...good, timeouts: null }, /`timeouts` to be an object/],
  ["a number as retry", { ...good, retry: 3 }, /`retry` to be an object, or false/],
  [
    "a key over http",
    { ...good, baseUrl: "http://pdf.example.com" },
    /unencrypted.*`allowInsecureHttp: true`/,
  ],
];

describe("new TemplatePdf()", () => {
  it.each(refusedOptions)("refuses %s without showing the key", (_, options, message) => {
    let error: ConfigurationError | undefined;
    try {
      new TemplatePdf(options as ClientOptions);
    } catch (thrown) {
      error = thrown as ConfigurationError;
    }
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error?.message).toMatch(message);
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 0 });
    expect(`${error?.stack} ${JSON.stringify(error)}`).not.toContain("CANARY");
    expect(error?.cause).toBeUndefined();
  });

  it.each<ClientOptions>([
    { baseUrl: "http://127.0.0.1:8080", apiKey: key },
    { baseUrl: "http://pdf.example.com", apiKey: key, allowInsecureHttp: true },
    { baseUrl: "http://pdf.example.com", apiKey: null },
  ])("accepts plain http with %j", (options) => {
    expect(() => new TemplatePdf(options)).not.toThrow();
  });
});

describe("the path of a request", () => {
  it.each([
    ["/", "uid", "/api/v1/templates/uid/generate-sync"],
    ["/a/b//", "a/../b?x=1", "/a/b/api/v1/templates/a%2F..%2Fb%3Fx%3D1/generate-sync"],
    ["/pré fix", "発票", "/pr%C3%A9%20fix/api/v1/templates/%E7%99%BA%E7%A5%A8/generate-sync"],
  ])("for the base path %j and the uid %j is %j", async (prefix, uid, expected) => {
    const service = await Service.start(whole);
    const baseUrl = service.baseUrl + prefix;
    await service.client({ baseUrl }).generate(uid, {}).bytes();
    await service
      .client({ baseUrl: new URL(baseUrl), fetch })
      .generate(uid, {})
      .bytes();
    expect(service.requests.map(({ path }) => path)).toEqual([expected, expected]);
  });
});

describe("the options of a call", () => {
  const sent = async (client: ClientOptions["headers"], call: ClientOptions["headers"]) => {
    const service = await Service.start(whole);
    await generate(service.client({ headers: client }), { headers: call }).bytes();
    return (await service.request()).headers;
  };

  it("override the client's headers name by name, in either case", async () => {
    const headers = await sent({ "X-A": "client", "X-B": "client" }, { "x-a": "call", "x-c": "call" });
    expect(headers).toMatchObject({ "x-a": "call", "x-b": "client", "x-c": "call" });
  });

  it("take headers as Headers, pairs and a Map, without those that are undefined", async () => {
    expect(await sent(new Headers({ a: "1" }), [["b", "2"]])).toMatchObject({ a: "1", b: "2" });
    expect(await sent(new Map([["a", "1"]]), { a: undefined, b: " 2 " })).toMatchObject({ a: "1", b: "2" });
  });

  it("are not changed, and may be frozen", async () => {
    const service = await Service.start(whole);
    const given = Object.freeze({ headers: Object.freeze({ a: "1" }), maxBytes: 5_000 });
    await generate(service.client(), given).bytes();
    expect(given).toEqual({ headers: { a: "1" }, maxBytes: 5_000 });
  });

  it("that are undefined leave the client's", async () => {
    const service = await Service.start(whole);
    const client = service.client({ maxBytes: 1_000 });
    const options = { maxBytes: undefined, verify: undefined, headers: undefined, signal: undefined };
    expect(await rejectionOf(generate(client, options).bytes())).toMatchObject({ code: "oversized_pdf" });
    expect(await generate(client, { maxBytes: 2_000 }).bytes()).toHaveLength(2_000);
  });

  it.each<[unknown, RegExp]>([
    [null, /^Expected the call options to be an object, got null\.$/],
    ["", /^Expected the call options to be an object, got a string\.$/],
    [key, /^Expected the call options to be an object, got a string\.$/],
    [{ headers: null }, /^Expected `headers` to be an object or pairs, got null\.$/],
    [{ singal: 1 }, /Unknown call option `singal`\. Known options: /],
    [AbortSignal.abort(), /\{ signal \}/],
  ])("are refused if they are %j", async (options, message) => {
    const service = await Service.start(whole);
    const error = await rejectionOf(generate(service.client(), options as object));
    expect(error).toMatchObject({ code: "invalid_configuration", message: expect.stringMatching(message) });
    expect((error as Error).stack).not.toContain("CANARY");
  });
});

describe("a client with a relative base URL outside a page", () => {
  it.each<ClientOptions>([
    { baseUrl: "/api/pdf" },
    { baseUrl: "../pdf", apiKey: null, headers: { "x-session": "1" } },
  ])("is created with %j, and its calls reject", async (options) => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "key-of-the-server");
    const send = vi.fn();
    const client = new TemplatePdf({ ...options, fetch: send });
    for (const each of [client, client.with({ retry: false })]) {
      const error = await rejectionOf(generate(each).bytes());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/A relative `baseUrl` needs a page\. Generate there/);
    }
    expect(send).not.toHaveBeenCalled();
    vi.unstubAllEnvs();
  });

  it.each<ClientOptions>([
    { baseUrl: "/api/pdf", apiKey: key },
    { baseUrl: "//pdf.example.com", apiKey: null },
  ])("is refused with %j", (options) => {
    expect(() => new TemplatePdf(options)).toThrow(/does not begin with https:/);
  });
});

describe("a mistake in a call", () => {
  it.each<[string, (client: TemplatePdf) => PromiseLike<unknown>, RegExp]>([
    [
      "values before the uid",
      (client) => client.generate({ a: 1 } as never, "a" as never),
      /the template uid as the dashboard shows it, got an Object/,
    ],
    [
      "a promise as a value",
      (client) => client.generate("a", { total: Promise.resolve("1") }),
      /values\.total is a Promise: await it first/,
    ],
    [
      "a `fetch` without a Response",
      (client) => generate(client.with({ fetch: async () => ({}) as never })),
      /`fetch` to return a Response/,
    ],
    [
      "a base URL with /api/v1",
      (client) => generate(client.with({ baseUrl: "http://localhost/api/v1" })),
      /adds \/api\/v1/,
    ],
  ])("is explained: %s", async (_, call, message) => {
    const client = new TemplatePdf({ ...good, fetch: async () => new Response("", { status: 404 }) });
    expect(String(await rejectionOf(call(client)))).toMatch(message);
  });

  it.each([200, 500])(
    "is explained: a `fetch` that gives one Response of status %i twice",
    async (status) => {
      const send = vi.fn().mockResolvedValue(new Response("%PDF-1.4 %%EOF", { status }));
      const client = new TemplatePdf({ ...good, fetch: send, retry: { limit: 1 } });
      await Promise.allSettled([generate(client, { retry: false }).bytes()]);
      const error = await rejectionOf(generate(client).bytes());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain("`fetch` to return a Response, a new one for every call");
      expect(send).toHaveBeenCalledTimes(2);
    },
  );

  it("is explained: statics of Promise on the class of a pending result", () => {
    const pending = generate(new TemplatePdf({ ...good, fetch: () => new Promise<never>(() => {}) }));
    pending.catch(() => {});
    expect(() => (pending.constructor as PromiseConstructor).resolve(1)).toThrow(/made by `generate` only/);
    return pending.cancel();
  });
});

describe("the exports", () => {
  it("have the names of their classes and functions", () => {
    for (const [name, value] of Object.entries(api)) {
      if (typeof value === "function") expect(value.name).toBe(name);
    }
  });
});
