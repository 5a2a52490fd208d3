import { ConfigurationError, type HeadersInput } from "template-pdf";
import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";

// These settings are read by separate code in browsers, with the same results.

const pdf = pdfOf(2_000);

describe("headers of a call", () => {
  it.each<[string, HeadersInput]>([
    ["an object", { "X-Tenant": "7", "x-none": undefined }],
    ["pairs", [["X-Tenant", "7"]]],
    ["a Headers", new Headers({ "x-tenant": "7" })],
    ["a Map", new Map([["X-Tenant", "7"]])],
  ])("can be %s", async (_, headers) => {
    const service = await Service.start(withLength(pdf));
    await service.client({ headers }).generate("inv", {}).bytes();
    expect((await service.request()).headers).toMatchObject({ "x-tenant": "7" });
    expect((await service.request()).headers).not.toHaveProperty("x-none");
  });

  it("with the same name are combined into one list", async () => {
    const service = await Service.start(withLength(pdf));
    const headers: HeadersInput = [
      ["x-tag", "a"],
      ["X-Tag", "b"],
    ];
    await service.client({ headers }).generate("inv", {}).bytes();
    expect((await service.request()).headers).toMatchObject({ "x-tag": "a, b" });
  });

  it.each<[string, unknown]>([
    ["a string", "x-tenant: SECRET"],
    ["a list of three strings", [["x-tenant", "SECRET", "SECRET"]]],
    ["a name with a space", { "x tenant": "SECRET" }],
    ["a name with a line break", { "x-tenant\r\nx": "SECRET" }],
    ["a value with a line break", { "x-tenant": "SECRET\r\nx: y" }],
    ["a value outside Latin-1", { "x-tenant": "SECRET €" }],
    ["content-type", { "Content-Type": "text/SECRET" }],
    ["content-encoding", { "content-encoding": "SECRET" }],
    ["authorization in addition to the key", { authorization: "SECRET" }],
  ])("are rejected without exposing them: %s", async (_, headers) => {
    const service = await Service.start(withLength(pdf));
    const create = () => service.client({ headers: headers as HeadersInput });
    expect(create).toThrow(ConfigurationError);
    expect(create).not.toThrow("SECRET");
    const pending = service.client().generate("inv", {}, { headers: headers as HeadersInput });
    expect(String(await rejectionOf(pending.bytes()))).toMatch(/^ConfigurationError: (?!.*SECRET)/);
    expect(service.requests).toHaveLength(0);
  });
});

describe("an API key", () => {
  it.each<[string, unknown]>([
    ["empty", ""],
    ["several lines", "SECRET\nSECRET"],
    ["a string with a space", "SECRET SECRET"],
    ["a string with a character outside Latin-1", "SECRET€"],
    ["not a string", { key: "SECRET" }],
  ])("is rejected without exposing it if it is %s", async (_, apiKey) => {
    const service = await Service.start(withLength(pdf));
    const create = () => service.client({ apiKey: apiKey as string });
    expect(create).toThrow(ConfigurationError);
    expect(create).not.toThrow("SECRET");
    const failure = await rejectionOf(
      service
        .client({ apiKey: () => apiKey as string })
        .generate("inv", {})
        .bytes(),
    );
    expect(String(failure)).toMatch(/^ConfigurationError: (?!.*SECRET)/);
    expect(service.requests).toHaveLength(0);
  });

  it("function is called for each attempt, and its error is not exposed", async () => {
    const service = await Service.start(withLength(pdf));
    const keys = ["first", "second"];
    const client = service.client({ apiKey: async () => keys.shift() ?? fail() });
    await client.generate("inv", {}).bytes();
    await client.generate("inv", {}).bytes();
    const sent = service.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(["API-Key first", "API-Key second"]);
    const failure = await rejectionOf(client.generate("inv", {}).bytes());
    expect(String(failure)).toMatch(/^ConfigurationError: (?!.*SECRET).* RangeError/);
  });
});

function fail(): never {
  throw new RangeError("SECRET");
}

describe("the file name of a document", () => {
  it.each([
    ['attachment; filename="Invoice 7.pdf"', "Invoice 7.pdf"],
    ["attachment; filename=a.pdf; filename*=UTF-8''%e2%82%ac%20rates.pdf", "€ rates.pdf"],
    ["attachment; filename=a.pdf; filename*=UTF-8''%ff%zz", "a.pdf"],
    ['attachment; x="; filename=evil.pdf"; filename="good.pdf"', "good.pdf"],
    ['attachment; filename="..\\\\..\\\\windows\\\\win.ini"', "win.ini"],
    ["attachment; filename=../../etc/passwd", "passwd"],
    ['attachment; filename="a<b>|c?*.pdf"', "a_b__c__.pdf"],
    ['attachment; filename=" .a.pdf. "', "a.pdf"],
    ['attachment; filename=".."', undefined],
    ["attachment", undefined],
  ])("is read from %j", async (disposition, filename) => {
    const service = await Service.start(withLength(pdf, { "content-disposition": disposition }));
    const document = await service.client().generate("inv", {});
    expect(document.filename).toBe(filename);
    await document.bytes();
  });
});
