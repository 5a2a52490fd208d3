import * as api from "template-pdf";
import { type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { plainKey, trickyKey } from "./canaries.ts";
import { generate } from "./every-form.ts";
import { collectOutput, leaksIn } from "./leaks.ts";

// For the rules of each option see test/options and test/request, for the browser bundle settings.page.test.ts.

const good = { baseUrl: "https://pdf.example.com", apiKey: plainKey };
const dispatcher = { dispatch: () => true };
const completePdf = withLength(pdfOf(2_000));

const refusedOptions: readonly (readonly [string, (key: string) => unknown, RegExp])[] = [
  ["null instead of options", () => null, /the client options/],
  ["the key instead of options", (key) => key, /the client options/],
  ["no key", () => ({ apiKey: undefined }), /API key is missing.*TEMPLATE_PDF_API_KEY/],
  ["a key with a line break", (key) => ({ apiKey: `${key}\r\nx-a: b` }), /line break/],
  ["an object as a key", (key) => ({ apiKey: { key } }), /`apiKey` to be a string, or a function.*object/],
  ["no base URL", () => ({ baseUrl: undefined }), /base URL .* is missing.*TEMPLATE_PDF_BASE_URL/],
  ["the key as the base URL", (key) => ({ baseUrl: key }), /does not begin with https:/],
  ["credentials in the base URL", (key) => ({ baseUrl: `https://u:${key}@a.test` }), /base URL/],
  ["a key in the query of the base URL", (key) => ({ baseUrl: `https://a.test/?key=${key}` }), /has a query/],
  ["a misspelt option", () => ({ baseURL: good.baseUrl }), /`baseURL`\. Known options: baseUrl, /],
  ["`maxBytes` of 0", () => ({ maxBytes: 0 }), /`maxBytes` to be a whole number.*got `0` \(number\)/],
  ["the key as `maxBytes`", (key) => ({ maxBytes: key }), /`maxBytes` to be a whole number/],
  ["the key as `verify`", (key) => ({ verify: key }), /`verify` to be a boolean, got a string/],
  ["a number as `allowInsecureHttp`", () => ({ allowInsecureHttp: 1 }), /`allowInsecureHttp` to be a bool/],
  ["a string as a boolean", () => ({ dangerouslyAllowBrowser: "yes" }), /`dangerouslyAllowBrowser` to be a/],
  ["a `fetch` that is not a function", () => ({ fetch: {} }), /`fetch` to be a function/],
  ["an empty `dispatcher`", () => ({ dispatcher: {} }), /`dispatcher` to be an undici disp/],
  ["`fetch` and `dispatcher`", () => ({ fetch, dispatcher }), /`fetch` and `dispatcher`/],
  ["undici 6", () => ({ dispatcher: { ...dispatcher, interceptors: {} } }), /undici 6.*undici 7/],
  ["the key as `credentials`", (key) => ({ credentials: key }), /`credentials`.*"include"/],
  ["the key as a header's name", (key) => ({ headers: { [`API-Key ${key}`]: "" } }), /A name in `headers`/],
  ["a header with a line break", (key) => ({ headers: { a: `${key}\r\nb: c` } }), /value of the header `a`/],
  ["an authorization", (key) => ({ headers: { Authorization: key } }), /`authorization`.*`apiKey: null`/],
  ["a key over http", () => ({ baseUrl: "http://pdf.example.com" }), /unencrypted.*`allowInsecureHttp: t/],
];

describe("new TemplatePdf()", () => {
  it.each(refusedOptions)("rejects %s without exposing the key", async (_, given, message) => {
    for (const key of [plainKey, trickyKey]) {
      const wrong = given(key);
      const options = wrong instanceof Object ? { ...good, apiKey: key, ...wrong } : wrong;
      const { places, error } = await collectOutput(async () => ({
        error: await rejectionOf((async () => new TemplatePdf(options as ClientOptions))()),
      }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as ConfigurationError).message).toMatch(message);
      expect(error).toMatchObject({ code: "invalid_configuration", attempts: 0 });
      expect((error as ConfigurationError).cause).toBeUndefined();
      expect(leaksIn(places, key)).toEqual([]);
    }
  });

  it.each<ClientOptions>([
    { baseUrl: "http://127.0.0.1:8080", apiKey: plainKey },
    { baseUrl: "http://pdf.example.com", apiKey: plainKey, allowInsecureHttp: true },
    { baseUrl: "http://pdf.example.com", apiKey: null },
  ])("accepts plain http with %j", (options) => {
    expect(() => new TemplatePdf(options)).not.toThrow();
  });

  it("sends requests below the path of a base URL", async () => {
    const service = await Service.start(completePdf);
    const baseUrl = new URL(`${service.baseUrl}/pré fix//`);
    await service.client({ baseUrl }).generate("a/../b", {}).bytes();
    const { path } = await service.request();
    expect(path).toBe("/pr%C3%A9%20fix/api/v1/templates/a%2F..%2Fb/generate-sync");
  });
});

describe("the options of a call", () => {
  it("override the client's headers by name, regardless of case", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ headers: { "X-A": "client", "X-B": "client" } });
    await generate(client, { headers: { "x-a": "call", "x-c": "call" } }).bytes();
    const { headers } = await service.request();
    expect(headers).toMatchObject({ "x-a": "call", "x-b": "client", "x-c": "call" });
  });

  it("do not override the client's options if they are undefined", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ maxBytes: 1_000 });
    const options = { maxBytes: undefined, verify: undefined, headers: undefined, signal: undefined };
    expect(await rejectionOf(generate(client, options).bytes())).toMatchObject({ code: "oversized_pdf" });
    expect(await generate(client, { maxBytes: 2_000 }).bytes()).toHaveLength(2_000);
  });
});

describe("a client with a relative base URL outside a page", () => {
  it.each<ClientOptions>([
    { baseUrl: "/api/pdf" },
    { baseUrl: "../pdf", apiKey: null, headers: { "x-session": "1" } },
  ])("is created with %j, but its calls reject", async (options) => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "key-of-the-server");
    const send = vi.fn();
    const client = new TemplatePdf({ ...options, fetch: send });
    for (const each of [client, client.with({ retry: false })]) {
      const error = await rejectionOf(generate(each).bytes());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/A relative `baseUrl` works only in a browser\. Pass an absolute URL/);
    }
    expect(send).not.toHaveBeenCalled();
    vi.unstubAllEnvs();
  });

  it.each<ClientOptions>([
    { baseUrl: "/api/pdf", apiKey: plainKey },
    { baseUrl: "//pdf.example.com", apiKey: null },
  ])("throws a ConfigurationError for %j", (options) => {
    expect(() => new TemplatePdf(options)).toThrow(/does not begin with https:/);
  });
});

describe("an invalid `fetch` is explained", () => {
  it("if it does not return a Response", async () => {
    const client = new TemplatePdf({ ...good, fetch: async () => ({}) as never });
    expect(String(await rejectionOf(generate(client)))).toMatch(/`fetch` to return a new Response/);
  });

  it.each([200, 500])("if it returns one Response of status %i twice", async (status) => {
    const send = vi.fn().mockResolvedValue(new Response("%PDF-1.4 %%EOF", { status }));
    const client = new TemplatePdf({ ...good, fetch: send, retry: { limit: 1 } });
    await Promise.allSettled([generate(client, { retry: false }).bytes()]);
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("`fetch` to return a new Response for every call");
    expect(send).toHaveBeenCalledTimes(2);
  });
});

it("classes and functions have the names of their exports", () => {
  for (const [name, value] of Object.entries(api)) {
    if (typeof value === "function") expect(value.name).toBe(name);
  }
});
