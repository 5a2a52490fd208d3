import { type CallOptions, type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf } from "../support/service.ts";

const key = "key-k3yk3y";
const fetch = vi.fn(async (_url: string, _init: object) => new Response(new Uint8Array(pdfOf(100))));

/** Creates a client in a simulated page, with a document and without a process. */
function inPage(options: ClientOptions): TemplatePdf {
  vi.stubGlobal("process", undefined);
  vi.stubGlobal("document", { baseURI: "https://app.test/orders/7" });
  try {
    return new TemplatePdf({ fetch, ...options });
  } finally {
    vi.unstubAllGlobals();
  }
}

afterEach(() => void fetch.mockClear());

describe("a client in a web page", () => {
  it("needs no API key and sends requests to the origin of the page", async () => {
    const client = inPage({ baseUrl: "/api/pdf", credentials: "same-origin" });
    await client.generate("invoice", { date: "today" }).bytes();
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe("https://app.test/api/pdf/api/v1/templates/invoice/generate-sync");
    expect(init).toMatchObject({
      method: "POST",
      // No header that would cause a preflight request, except those that the spec requires.
      headers: [["content-type", "application/json"]],
      credentials: "same-origin",
      redirect: "manual",
    });
  });

  it.each([
    ["pdf", "https://app.test/orders/pdf/api"],
    ["./pdf/", "https://app.test/orders/pdf/api"],
    ["/", "https://app.test/api"],
    ["//pdf.test/x", "https://pdf.test/x/api"],
    ["https://pdf.test", "https://pdf.test/api"],
  ])("resolves the base URL %s as fetch does", async (baseUrl, start) => {
    await inPage({ baseUrl }).generate("invoice", {}).bytes();
    expect(fetch.mock.calls[0]?.[0].startsWith(`${start}/v1/`)).toBe(true);
  });

  const withKey: [how: string, options: ClientOptions][] = [
    ["apiKey", { apiKey: key }],
    ["a function", { apiKey: () => key }],
    ["a header", { headers: { Authorization: `API-Key ${key}` } }],
    ["a header in other letters", { headers: { authorization: `  api-key ${key}` } }],
  ];

  it.each(withKey)("rejects an API key as %s unless dangerouslyAllowBrowser is true", (_, options) => {
    const make = (more = {}) => inPage({ baseUrl: "/", ...options, ...more });
    expect(() => make()).toThrow(ConfigurationError);
    expect(() => make()).toThrow("Everyone who opens a web page can read its API key.");
    try {
      make();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain(key);
    }
    expect(() => make({ dangerouslyAllowBrowser: true })).not.toThrow();
  });

  it("rejects an API key in the headers of a call", async () => {
    const client = inPage({ baseUrl: "/" });
    const options: CallOptions = { headers: { authorization: `API-Key ${key}` } };
    expect(await rejectionOf(client.generate("invoice", {}, options))).toBeInstanceOf(ConfigurationError);
    expect(fetch).not.toHaveBeenCalled();
  });

  it("sends the session headers of the app", async () => {
    const client = inPage({ baseUrl: "/", headers: { authorization: "Bearer session", "x-csrf": "7" } });
    await client.generate("invoice", {}).bytes();
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({
      headers: [
        ["content-type", "application/json"],
        ["authorization", "Bearer session"],
        ["x-csrf", "7"],
      ],
    });
  });

  it.each([
    ["a document of that length", 0, [1_000, 1_000]],
    ["a longer document, because the response was compressed", 200, [1_000, undefined]],
  ])("uses the content-length from another origin only for progress: %s", async (_, less, last) => {
    const document = pdfOf(1_000);
    const fetch = async () => {
      const headers = { "content-length": String(1_000 - less) };
      const answer = new Response(new Uint8Array(document), { headers });
      return Object.defineProperty(answer, "type", { value: "cors" });
    };
    vi.stubGlobal("process", Object.create(process, { type: { value: "renderer" } }));
    vi.stubGlobal("document", { baseURI: "https://app.test/" });
    const heard: unknown[] = [];
    const pdf = new TemplatePdf({ baseUrl: "https://api.test", fetch }).generate(
      "invoice",
      {},
      { onProgress: ({ receivedBytes, totalBytes }) => heard.push([receivedBytes, totalBytes]) },
    );
    expect((await pdf).contentLength).toBeUndefined();
    expect((await pdf.bytes()).length).toBe(1_000);
    vi.unstubAllGlobals();
    expect(heard).toEqual([last]);
  });

  it("keeps its base URL in derived clients", () => {
    expect(() => inPage({ baseUrl: "/" }).with({ maxBytes: 1 })).not.toThrow();
  });
});
