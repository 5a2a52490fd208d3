import { getEventListeners } from "node:events";
import { ConfigurationError, type HeadersInput, ServerError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";

// Browsers have shorter messages about these settings, with the same results.

const start = () => Service.start(withLength(pdfOf(100)));

describe("custom headers", () => {
  it.each<[string, HeadersInput]>([
    ["an object", { "X-Tenant": "7", "x-none": undefined }],
    ["an array of pairs", [["X-Tenant", "7"]]],
    ["a Headers object", new Headers({ "x-tenant": "7" })],
    ["a Map", new Map([["X-Tenant", "7"]])],
  ])("can be %s", async (_, headers) => {
    const service = await start();
    await service.client({ headers }).generate("inv", {}).bytes();
    expect((await service.request()).headers).toMatchObject({ "x-tenant": "7" });
    expect((await service.request()).headers).not.toHaveProperty("x-none");
  });

  it("are combined into one comma-separated value if they have the same name", async () => {
    const service = await start();
    const headers = Object.entries({ "x-tag": "a", "X-Tag": "b" });
    await service.client({ headers }).generate("inv", {}).bytes();
    expect((await service.request()).headers).toMatchObject({ "x-tag": "a, b" });
  });

  it.each<[string, unknown]>([
    ["a string", "x-tenant: SECRET"],
    ["a list of three strings", [["x-tenant", "SECRET", "SECRET"]]],
    ["a name with a space", { "x tenant": "SECRET" }],
    ["a value with a line break", { "x-tenant": "SECRET\r\nx: y" }],
    ["a value outside Latin-1", { "x-tenant": "SECRET €" }],
    ["content-type", { "Content-Type": "text/SECRET" }],
    ["authorization in addition to an API key", { authorization: "SECRET" }],
  ])("are rejected without being exposed: %s", async (_, given) => {
    const service = await start();
    const headers = given as HeadersInput;
    expect(() => service.client({ headers })).toThrow(ConfigurationError);
    expect(() => service.client({ headers })).not.toThrow("SECRET");
    const failure = await rejectionOf(service.client().generate("inv", {}, { headers }));
    expect(String(failure)).toMatch(/^ConfigurationError: (?!.*SECRET)/);
    expect(service.requests).toHaveLength(0);
  });
});

describe("an API key", () => {
  it.each<[string, unknown]>([
    ["empty", ""],
    ["a string with several lines", "SECRET\nSECRET"],
    ["a string with a space", "SECRET SECRET"],
    ["a string with a character outside Latin-1", "SECRET€"],
    ["not a string", { key: "SECRET" }],
    ["the text undefined", "undefined"],
    ["the text [object Object]", String({})],
  ])("is rejected without being exposed if it is %s", async (_, given) => {
    const service = await start();
    const apiKey = given as string;
    expect(() => service.client({ apiKey })).toThrow(ConfigurationError);
    expect(() => service.client({ apiKey })).not.toThrow("SECRET");
    const failure = await rejectionOf(service.client({ apiKey: () => apiKey }).generate("inv", {}));
    expect(String(failure)).toMatch(/^ConfigurationError: (?!.*SECRET)/);
    expect(failure).toMatchObject({ code: "invalid_configuration", attempts: 0 });
    expect(service.requests).toHaveLength(0);
  });

  it("can be a function, and causes a configuration error if the function fails", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "0" }));
    const keys = ["first", "second"];
    const apiKey = async () => keys.shift() ?? fail();
    const client = service.client({ apiKey, retry: { limit: 2 } });
    const late = await rejectionOf(client.generate("inv", {}));
    expect(service.keys).toEqual(["API-Key first", "API-Key second"]);
    expect(late).toMatchObject({
      code: "invalid_configuration",
      attempts: 2,
      cause: expect.any(ServerError),
    });
    const early = await rejectionOf(client.generate("inv", {}));
    expect(early).toMatchObject({ attempts: 0 });
    expect(early).not.toHaveProperty("cause");
    for (const error of [late, early])
      expect(String(error)).toMatch(/^ConfigurationError: (?!.*SECRET).* RangeError/);
  });
});

function fail(): never {
  throw new RangeError("SECRET");
}

it.each([
  ['attachment; filename="Invoice 7.pdf"', "Invoice 7.pdf"],
  ["attachment; filename=a.pdf; filename*=UTF-8''%e2%82%ac%20rates.pdf", "€ rates.pdf"],
  ["attachment; filename=a.pdf; filename*=UTF-8''%ff%zz", "a.pdf"],
  ['attachment; x="; filename=evil.pdf"; filename="good.pdf"', "good.pdf"],
  ['attachment; filename="..\\\\..\\\\windows\\\\win.ini"', "win.ini"],
  ['attachment; filename="a<b>|c?*.pdf"', "a_b__c__.pdf"],
  ['attachment; filename=" .a.pdf. "', "a.pdf"],
  ['attachment; filename=".."', undefined],
])("a document's file name is read from the content-disposition header %j", async (disposition, filename) => {
  const service = await Service.start(withLength(pdfOf(100), { "content-disposition": disposition }));
  const document = await service.client().generate("inv", {});
  expect(document.filename).toBe(filename);
  await document.bytes();
});

it("an aborted call rejects with its signal's reason, and a completed call removes its listener", async () => {
  const { signal } = new AbortController();
  await (await start()).client().generate("inv", {}, { signal }).bytes();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const silent = await Service.start(() => {});
  const controller = new AbortController();
  const pending = rejectionOf(silent.client().generate("inv", {}, { signal: controller.signal }));
  await silent.request();
  controller.abort("enough");
  expect(await pending).toBe("enough");
});

it("reading a cancelled document rejects with an AbortError that explains the cancellation", async () => {
  const document = await (await start()).client().generate("inv", {});
  await document.cancel();
  const error = await rejectionOf(document.bytes());
  expect(error).toMatchObject({ name: "AbortError", message: "The document was cancelled." });
});

it("an error's stack starts with the name and message, and contains the line that awaits the call", async () => {
  const service = await Service.start(saying(404));
  const error = (await rejectionOf(service.client().generate("inv", {}))) as Error;
  const [first, ...frames] = error.stack?.split("\n") ?? [];
  expect(first).toBe(String(error));
  expect(frames.join("\n")).toContain("settings.page.test");
});
