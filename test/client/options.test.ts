import { type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const key = "sk_CANARY_0123456789";
const good = { baseUrl: "https://pdf.example.com", apiKey: key };

function refusalOf(options: unknown): ConfigurationError {
  try {
    new TemplatePdf(options as ClientOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error as ConfigurationError;
  }
  throw new Error("These options were accepted.");
}

const dispatcher = { dispatch: () => true };

/** What is wrong, and what the message says of it. */
const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ["null for options", null, /options of the client/],
  ["a string for options", "https://pdf.example.com", /options of the client/],
  ["no key", { baseUrl: good.baseUrl }, /API key is missing.*TEMPLATE_PDF_API_KEY/],
  ["an empty key", { ...good, apiKey: "" }, /API key is empty/],
  ["a key with a line break behind", { ...good, apiKey: `${key}\n` }, /line break/],
  ["a key with a header behind", { ...good, apiKey: `${key}\r\nx-admin: 1` }, /line break/],
  ["a key with the scheme before", { ...good, apiKey: `API-Key ${key}` }, /the word API-Key/],
  ["a key beyond ASCII", { ...good, apiKey: `${key}€` }, /API key/],
  ["a number for a key", { ...good, apiKey: 17 }, /`apiKey` to be a string, or a function.*number/],
  ["an object for a key", { ...good, apiKey: { key } }, /`apiKey` to be a string, or a function.*object/],
  ["no base URL", { apiKey: key }, /base URL of the service is missing.*TEMPLATE_PDF_BASE_URL/],
  ["an empty base URL", { ...good, baseUrl: "" }, /base URL of the service is missing/],
  ["null for a base URL", { ...good, baseUrl: null }, /`baseUrl`/],
  ["a relative base URL", { ...good, baseUrl: "/prefix" }, /does not begin with https:/],
  ["a base URL without a scheme", { ...good, baseUrl: "pdf.example.com" }, /does not begin with https:/],
  ["a host and a port", { ...good, baseUrl: "pdf.example.com:8080" }, /does not begin with https:/],
  ["ftp", { ...good, baseUrl: "ftp://pdf.example.com" }, /has the scheme ftp:/],
  ["file", { ...good, baseUrl: "file:///tmp" }, /has the scheme file:/],
  ["javascript", { ...good, baseUrl: "javascript:alert(1)" }, /does not begin with https:/],
  [
    "credentials in the base URL",
    { ...good, baseUrl: `https://user:${key}@example.com` },
    /holds credentials/,
  ],
  ["a user in the base URL", { ...good, baseUrl: `https://${key}@example.com` }, /holds credentials/],
  ["a query in the base URL", { ...good, baseUrl: `https://example.com/?key=${key}` }, /has a query/],
  ["a fragment in the base URL", { ...good, baseUrl: `https://example.com/#${key}` }, /a fragment/],
  ["an unknown option", { ...good, baseURL: good.baseUrl }, /`baseURL`\. Did you mean `baseUrl`\?/],
  ["a misspelt option", { ...good, maxByte: 1 }, /Did you mean `maxBytes`\?/],
  ["another misspelt option", { ...good, apikey: key }, /Did you mean `apiKey`\?/],
  ["an option of a call", { ...good, signal: AbortSignal.abort() }, /Unknown client option `signal`/],
  ["a name that every object has", { ...good, toString: 1 }, /Unknown client option `toString`/],
  ["no bytes allowed", { ...good, maxBytes: 0 }, /`maxBytes` to be a whole number.*got `0` \(number\)/],
  ["half a byte", { ...good, maxBytes: 1.5 }, /`maxBytes`.*`1.5`/],
  ["NaN bytes", { ...good, maxBytes: Number.NaN }, /`maxBytes`.*`NaN`/],
  ["endless bytes", { ...good, maxBytes: Number.POSITIVE_INFINITY }, /`maxBytes`.*`Infinity`/],
  ["bytes as a string", { ...good, maxBytes: "10" }, /`maxBytes`.*string/],
  ["verify as a string", { ...good, verify: "no" }, /`verify` to be a boolean, got a value of type string/],
  ["null for verify", { ...good, verify: null }, /`verify` to be a boolean.*null/],
  ["allowInsecureHttp as a number", { ...good, allowInsecureHttp: 1 }, /`allowInsecureHttp` to be a boolean/],
  [
    "dangerouslyAllowBrowser as a string",
    { ...good, dangerouslyAllowBrowser: "yes" },
    /`dangerouslyAllowBrowser` to be a boolean/,
  ],
  ["a fetch that is no function", { ...good, fetch: {} }, /`fetch` to be a function/],
  ["a dispatcher that is none", { ...good, dispatcher: {} }, /`dispatcher` to be an undici dispatcher/],
  ["both fetch and dispatcher", { ...good, fetch: globalThis.fetch, dispatcher }, /`fetch` and `dispatcher`/],
  [
    "a dispatcher of undici 6",
    { ...good, dispatcher: { ...dispatcher, interceptors: {} } },
    /undici 6 or older.*undici 7/,
  ],
  ["unknown credentials", { ...good, credentials: "always" }, /`credentials`.*"include"/],
  ["a string for headers", { ...good, headers: "a: b" }, /`headers` to be an object/],
  ["null for headers", { ...good, headers: null }, /`headers`/],
  ["headers that are no pairs", { ...good, headers: [1, 2] }, /`headers`/],
  ["null among the pairs", { ...good, headers: [null] }, /`headers`/],
  [
    "a header name with a space",
    { ...good, headers: { [`${key}: b`]: "c" } },
    /name of one of the `headers`/,
  ],
  [
    "a header name with a line break",
    { ...good, headers: { "a\r\nb": "c" } },
    /name of one of the `headers`/,
  ],
  ["an empty header name", { ...good, headers: { "": "c" } }, /name of one of the `headers`/],
  ["a header value with CR and LF", { ...good, headers: { a: `${key}\r\nb: c` } }, /value of the header `a`/],
  ["a header value with a NUL", { ...good, headers: { a: `${key}\0` } }, /value of the header `a`/],
  ["a header value beyond Latin-1", { ...good, headers: { a: `${key}€` } }, /value of the header `a`/],
  ["a header value that is no string", { ...good, headers: { a: 1 } }, /value of the header `a`/],
  [
    "an authorization beside a key",
    { ...good, headers: { Authorization: key } },
    /`authorization`.*`apiKey: null`/,
  ],
  [
    "an authorization beside a key source",
    { ...good, apiKey: () => key, headers: { authorization: key } },
    /`authorization`/,
  ],
  ...[
    "Content-Type",
    "content-length",
    "Host",
    "Transfer-Encoding",
    "connection",
    "TE",
    "expect",
    "upgrade",
  ].map(
    (name) => [`the header ${name}`, { ...good, headers: { [name]: "x" } }, /is set by the client/] as const,
  ),
];

describe("a client is refused, without its key being told, for", () => {
  it.each(refused)("%s", (_, options, message) => {
    const error = refusalOf(options);
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 0 });
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("CANARY");
    expect(error.cause).toBeUndefined();
  });
});

describe("a key over plain http", () => {
  const elsewhere = [
    "pdf.example.com",
    "192.168.0.1",
    "10.0.0.1",
    "0.0.0.0",
    "localhost.example.com",
    "127.0.0.1.example.com",
    "1270.0.0.1.example.com",
    "notlocalhost",
    "[::2]",
    "[fe80::1]",
  ];
  const here = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "app.localhost",
    "127.0.0.1",
    "127.9.8.7",
    "127.1",
    "[::1]",
    "[0:0::1]",
  ];

  it.each(elsewhere)("is refused to %s", (host) => {
    for (const apiKey of [key, () => key]) {
      const error = refusalOf({ baseUrl: `http://${host}:8080`, apiKey });
      expect(error.message).toMatch(/unencrypted.*`allowInsecureHttp: true`/);
    }
  });

  it.each(elsewhere)(
    "is allowed to %s where the caller says so, or there is no key, or it is https",
    (host) => {
      const baseUrl = `http://${host}:8080`;
      expect(() => new TemplatePdf({ baseUrl, apiKey: key, allowInsecureHttp: true })).not.toThrow();
      expect(() => new TemplatePdf({ baseUrl, apiKey: null })).not.toThrow();
      expect(() => new TemplatePdf({ baseUrl: `https://${host}`, apiKey: key })).not.toThrow();
    },
  );

  it.each(here)("is allowed to %s, which is this machine", (host) => {
    expect(() => new TemplatePdf({ baseUrl: `http://${host}:8080`, apiKey: key })).not.toThrow();
  });

  it("is refused to a sibling, too", () => {
    const client = new TemplatePdf({ baseUrl: "http://127.0.0.1", apiKey: key });
    expect(() => client.with({ baseUrl: "http://pdf.example.com" })).toThrow(ConfigurationError);
    const keyless = new TemplatePdf({ baseUrl: "http://pdf.example.com", apiKey: null });
    expect(() => keyless.with({ apiKey: key })).toThrow(ConfigurationError);
  });
});

describe("a derived client", () => {
  it("names the nearest option of a client if one is unknown", () => {
    const client = new TemplatePdf(good);
    expect(() => client.with({ baseURL: good.baseUrl } as ClientOptions)).toThrow(
      /^Unknown client option `baseURL`\. Did you mean `baseUrl`\?/,
    );
  });
});

describe("the path of a request", () => {
  it.each([
    ["", "/api/v1/templates/uid/generate-sync"],
    ["/", "/api/v1/templates/uid/generate-sync"],
    ["///", "/api/v1/templates/uid/generate-sync"],
    ["/prefix", "/prefix/api/v1/templates/uid/generate-sync"],
    ["/prefix/", "/prefix/api/v1/templates/uid/generate-sync"],
    ["/a/b//", "/a/b/api/v1/templates/uid/generate-sync"],
    ["/a/../b", "/b/api/v1/templates/uid/generate-sync"],
    ["/pré fix", "/pr%C3%A9%20fix/api/v1/templates/uid/generate-sync"],
  ])("begins with that of the base URL: %j", async (prefix, expected) => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    await service
      .client({ baseUrl: service.baseUrl + prefix })
      .generate("uid", {})
      .bytes();
    await service
      .client({ baseUrl: new URL(service.baseUrl + prefix) })
      .generate("uid", {})
      .bytes();
    expect(service.requests.map(({ path }) => path)).toEqual([expected, expected]);
  });

  it.each([
    ["a/../b?x=1", "a%2F..%2Fb%3Fx%3D1"],
    ["...", "..."],
    ["a b+c%20", "a%20b%2Bc%2520"],
    ["発票", "%E7%99%BA%E7%A5%A8"],
    ["%2e%2e", "%252e%252e"],
    ["a#b", "a%23b"],
    ["a\\b", "a%5Cb"],
  ])("holds the uid %j as one segment", async (uid, segment) => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    await service.client().generate(uid, {}).bytes();
    await service.client({ fetch: globalThis.fetch }).generate(uid, {}).bytes();
    const path = `/api/v1/templates/${segment}/generate-sync`;
    expect(service.requests.map((request) => request.path)).toEqual([path, path]);
  });
});

describe("options of a call", () => {
  const headers = async (client: ClientOptions["headers"], call: ClientOptions["headers"]) => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    await generate(service.client({ headers: client }), { headers: call }).bytes();
    return (await service.request()).headers;
  };

  it("lay their headers over the client's, name by name, in either case", async () => {
    const sent = await headers({ "X-A": "client", "X-B": "client" }, { "x-a": "call", "x-c": "call" });
    expect(sent).toMatchObject({ "x-a": "call", "x-b": "client", "x-c": "call" });
  });

  it("take headers as Headers, as pairs and as a Map, and leave out what is undefined", async () => {
    expect(await headers(new Headers({ a: "1" }), [["b", "2"]])).toMatchObject({ a: "1", b: "2" });
    const sent = await headers(new Map([["a", "1"]]), { a: undefined, b: " 2 " });
    expect(sent).toMatchObject({ a: "1", b: "2" });
  });

  it("are not changed, and may be frozen", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const given = Object.freeze({ headers: Object.freeze({ a: "1" }), maxBytes: 5_000 });
    await generate(service.client(), given).bytes();
    expect(given).toEqual({ headers: { a: "1" }, maxBytes: 5_000 });
  });

  it("that are undefined leave the client's", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const client = service.client({ maxBytes: 1_000 });
    const options = { maxBytes: undefined, verify: undefined, headers: undefined, signal: undefined };
    expect(await rejectionOf(generate(client, options).bytes())).toMatchObject({ code: "oversized_pdf" });
    expect(await generate(client, { maxBytes: 2_000 }).bytes()).toHaveLength(2_000);
  });

  it("that are unknown name the nearest", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const error = await rejectionOf(generate(service.client(), { singal: 1 } as object));
    expect(String(error)).toMatch(/Unknown call option `singal`\. Did you mean `signal`\?/);
  });

  it.each([
    [null, "Expected the options of the call to be an object, got null."],
    [false, "Expected the options of the call to be an object, got boolean."],
    ["", "Expected the options of the call to be an object, got string."],
    [{ headers: null }, "Expected `headers` to be an object or pairs, got null."],
    [{ headers: "" }, "Expected `headers` to be an object or pairs, got string."],
  ])("that are %j are refused, though they hold nothing", async (options, message) => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const error = await rejectionOf(generate(service.client(), options as object));
    expect(error).toMatchObject({ code: "invalid_configuration", message });
  });
});
