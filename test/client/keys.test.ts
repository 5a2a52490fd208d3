import { type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(2_000);

describe("the API key", () => {
  it("sends no authorization header if it is null, except the caller's own", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client({ apiKey: null });
    await generate(client).bytes();
    await generate(client, { headers: { authorization: "Bearer of-the-call" } }).bytes();
    await generate(client.with({ headers: { Authorization: "Bearer of-the-client" } })).bytes();
    expect(service.keys).toEqual([undefined, "Bearer of-the-call", "Bearer of-the-client"]);
  });

  it("function is called once for each call, even with several outputs", async () => {
    const service = await Service.start(withLength(pdf));
    const apiKey = vi.fn(async () => `key-${apiKey.mock.calls.length}`);
    const client = service.client({ apiKey });
    expect(apiKey).not.toHaveBeenCalled();
    for (let count = 0; count < 3; count++) {
      const pending = generate(client);
      await Promise.allSettled([pending.bytes(), pending.blob(), pending]);
    }
    expect(apiKey).toHaveBeenCalledTimes(3);
    expect(service.keys).toEqual(["API-Key key-1", "API-Key key-2", "API-Key key-3"]);
  });

  it("function is not called if the arguments are invalid or the signal is already aborted", async () => {
    const service = await Service.start(withLength(pdf));
    const apiKey = vi.fn(() => "key");
    const client = service.client({ apiKey });
    await rejectionOf(client.generate("..", {}));
    await rejectionOf(generate(client, { signal: AbortSignal.abort() }));
    expect(apiKey).not.toHaveBeenCalled();
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

  const sent = async (options: ClientOptions) => {
    const calls: [string, string | undefined][] = [];
    const fetch = async (url: string, init: { headers: [string, string][] }) => {
      calls.push([url, new Map(init.headers).get("authorization")]);
      return new Response(new Uint8Array(pdf));
    };
    await generate(new TemplatePdf({ fetch, ...options })).bytes();
    return calls[0];
  };
  it.each<[string, ClientOptions, host: string, key: string | undefined]>([
    ["supplies missing options", {}, "environment", "of-the-environment"],
    [
      "supplies undefined options",
      { baseUrl: undefined, apiKey: undefined },
      "environment",
      "of-the-environment",
    ],
    ["does not override a base URL", { baseUrl: "https://given.example.com" }, "given", "of-the-environment"],
    ["does not override a key", { apiKey: "given" }, "environment", "given"],
    ["does not replace an API key of null", { apiKey: null }, "environment", undefined],
  ])("%s", async (_, options, host, key) => {
    const url = `https://${host}.example.com/api/v1/templates/inv_2024/generate-sync`;
    expect(await sent(options)).toEqual([url, key && `API-Key ${key}`]);
  });

  it.each<[string, Record<string, string>, ClientOptions, RegExp]>([
    ["has no API key if the variable is empty", { TEMPLATE_PDF_API_KEY: "" }, {}, /API key is missing/],
    ["has no base URL if the variable is empty", { TEMPLATE_PDF_BASE_URL: "" }, {}, /base URL .* is missing/],
    [
      "does not expose a malformed API key",
      { TEMPLATE_PDF_API_KEY: "CANARY\n" },
      {},
      /^(?!.*CANARY).*line break/s,
    ],
    [
      "cannot supply an API key for plain http",
      { TEMPLATE_PDF_BASE_URL: "http://pdf.example.com" },
      {},
      /unencrypted/,
    ],
    ["does not replace an empty API key", {}, { apiKey: "" }, /API key is empty/],
    ["does not replace an empty base URL", {}, { baseUrl: "" }, /base URL/],
  ])("%s", (_, variables, options, message) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(() => new TemplatePdf(options)).toThrow(message);
    expect(() => new TemplatePdf(options)).toThrow(ConfigurationError);
  });

  it("is read when the client is created, and derived clients keep these settings", async () => {
    const fetch = async () => new Response(new Uint8Array(pdf));
    const client = new TemplatePdf({ fetch });
    vi.unstubAllEnvs();
    expect(await generate(client.with({ maxBytes: 5_000 })).bytes()).toHaveLength(2_000);
  });
});
