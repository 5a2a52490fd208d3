import { ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(2_000);

describe("the API key", () => {
  it("that is null sends no authorization, or the caller's own", async () => {
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

  it("function is called once for every call, however many outputs are requested", async () => {
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

  it("function may be synchronous", async () => {
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
  ])(
    "function that %s rejects with a ConfigurationError without the key, and nothing is sent",
    async (_, apiKey) => {
      const service = await Service.start(withLength(pdf));
      const error = await rejectionOf(generate(service.client({ apiKey })).bytes());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).cause}`).not.toContain("CANARY");
      await turns();
      expect(service.requests).toHaveLength(0);
    },
  );

  it("function is not called if the call is wrong, or was aborted before", async () => {
    const service = await Service.start(withLength(pdf));
    const apiKey = vi.fn(() => "key");
    const client = service.client({ apiKey });
    await rejectionOf(client.generate("..", {}));
    await rejectionOf(generate(client, { signal: AbortSignal.abort() }));
    expect(apiKey).not.toHaveBeenCalled();
  });

  it("refuses control characters, as do headers and uids, and nothing is sent", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    for (const code of [...Array.from({ length: 32 }, (_, index) => index), 127]) {
      const character = String.fromCharCode(code);
      for (const text of [`a${character}b`, `${character}ab`, `a${character}\nx-b: c`]) {
        const isTabInHeader = code === 9 && !text.includes("\n");
        expect(() => service.client({ apiKey: text })).toThrow(ConfigurationError);
        expect(() => service.client({ headers: { [text]: "a" } })).toThrow(ConfigurationError);
        const pending = [client.generate(text, {}), generate(client.with({ apiKey: () => text }))];
        if (!isTabInHeader) pending.push(generate(client, { headers: { "x-a": text } }));
        const errors = await Promise.all(pending.map((each) => rejectionOf(each.bytes())));
        for (const error of errors) expect(error).toBeInstanceOf(ConfigurationError);
      }
    }
    expect(service.requests).toEqual([]);
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

  it("supplies missing options", async () => {
    expect(await sent({})).toEqual([
      `https://environment.example.com${path}`,
      "API-Key key-of-the-environment",
    ]);
    expect(await sent({ baseUrl: undefined, apiKey: undefined })).toEqual(await sent({}));
  });

  it("does not override options", async () => {
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

  it("counts as missing if it is empty", () => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "");
    expect(() => new TemplatePdf()).toThrow(/API key is missing/);
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "k");
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "");
    expect(() => new TemplatePdf()).toThrow(/base URL of the service is missing/);
  });

  it("is checked like an option", () => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "CANARY\n");
    expect(() => new TemplatePdf()).toThrow(/line break/);
    expect(() => new TemplatePdf()).not.toThrow(/CANARY/);
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "k");
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "http://pdf.example.com");
    expect(() => new TemplatePdf()).toThrow(/unencrypted/);
  });

  it("is read when the client is created, and derived clients keep what it supplied", async () => {
    const fetch = async () => new Response(new Uint8Array(pdf));
    const client = new TemplatePdf({ fetch });
    vi.unstubAllEnvs();
    expect(await generate(client.with({ maxBytes: 5_000 })).bytes()).toHaveLength(2_000);
  });
});
