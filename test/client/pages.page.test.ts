import { type CallOptions, type ClientOptions, ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pdfOf, rejectionOf } from "../support/service.ts";

const key = "key-k3yk3y";
const fetch = vi.fn(async (_url: string, _init: object) => new Response(new Uint8Array(pdfOf(100))));

/** Creates a client in a runtime without a process, with these globals. */
function clientIn(globals: Record<string, unknown>, options: ClientOptions): TemplatePdf {
  vi.stubGlobal("process", undefined);
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  try {
    return new TemplatePdf({ fetch, ...options });
  } finally {
    vi.unstubAllGlobals();
  }
}

const document = { baseURI: "https://app.test/orders/7" };
const inPage = (options: ClientOptions) => clientIn({ document }, options);
const inWorker = (href: string, origin: string) =>
  clientIn({ WorkerGlobalScope: class {}, location: { href, origin } }, { baseUrl: "pdf" });

afterEach(() => void fetch.mockClear());

describe("a client in a web page", () => {
  it("can send requests to the page's origin without an API key", async () => {
    const headers = { authorization: "Bearer session", "x-csrf": "7" };
    const client = inPage({ baseUrl: "/api/pdf", credentials: "same-origin" });
    await client.generate("invoice", { date: "today" }).bytes();
    await inPage({ baseUrl: "/", headers }).generate("invoice", {}).bytes();
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe("https://app.test/api/pdf/api/v1/templates/invoice/generate-sync");
    // Only the header that the spec requires can cause a preflight request. `accept` never does, unlike `user-agent`.
    const own = [
      ["content-type", "application/json"],
      ["accept", "application/pdf"],
    ];
    const shared = { method: "POST", redirect: "manual" };
    expect(init).toMatchObject({ ...shared, headers: own, credentials: "same-origin" });
    expect(fetch.mock.calls[1]?.[1]).toMatchObject({ headers: [...own, ...Object.entries(headers)] });
  });

  it.each([
    ["pdf", "https://app.test/orders/pdf/api"],
    ["./pdf/", "https://app.test/orders/pdf/api"],
    ["/", "https://app.test/api"],
    ["https://pdf.test", "https://pdf.test/api"],
  ])("resolves the base URL %s in the same way as fetch", async (baseUrl, start) => {
    await inPage({ baseUrl }).generate("invoice", {}).bytes();
    expect(fetch.mock.calls[0]?.[0].startsWith(`${start}/v1/`)).toBe(true);
  });

  it.each<[string, ClientOptions]>([
    ["`apiKey`", { apiKey: key }],
    ["a function", { apiKey: () => key }],
    ["a header", { headers: { Authorization: `API-Key ${key}` } }],
    ["a header with a lowercase name", { headers: { authorization: `  api-key ${key}` } }],
  ])("rejects an API key passed as %s unless dangerouslyAllowBrowser is true", (_, options) => {
    const make = (more = {}) => inPage({ baseUrl: "/", ...options, ...more });
    expect(() => make()).toThrow(ConfigurationError);
    expect(() => make()).toThrow(/^(?!.*k3yk3y).*Everyone who opens a web page can read its API key\./);
    expect(() => make({ dangerouslyAllowBrowser: true })).not.toThrow();
  });

  it("rejects an API key in a call's headers", async () => {
    const client = inPage({ baseUrl: "/" });
    const options: CallOptions = { headers: { authorization: `API-Key ${key}` } };
    expect(await rejectionOf(client.generate("invoice", {}, options))).toBeInstanceOf(ConfigurationError);
    expect(fetch).not.toHaveBeenCalled();
    expect(() => client.with({ maxBytes: 1 })).not.toThrow();
  });

  it.each([
    ["as long as its content-length", { contentLength: 1_000, totalBytes: 1_000 }],
    [
      "longer than its content-length, because it was compressed",
      { contentLength: 800, totalBytes: undefined },
    ],
  ])("uses a content-length from another origin only for progress: the document is %s", async (_, row) => {
    const fetch = async () => {
      const headers = { "content-length": String(row.contentLength) };
      const response = new Response(new Uint8Array(pdfOf(1_000)), { headers });
      return Object.defineProperty(response, "type", { value: "cors" });
    };
    // As in a window of Electron, which has a process.
    vi.stubGlobal("process", Object.create(process, { type: { value: "renderer" } }));
    vi.stubGlobal("document", document);
    const onProgress = vi.fn();
    const client = new TemplatePdf({ baseUrl: "https://api.test", fetch });
    const pdf = await client.generate("invoice", {}, { onProgress });
    expect(pdf.contentLength).toBeUndefined();
    expect(await pdf.bytes()).toHaveLength(1_000);
    vi.unstubAllGlobals();
    expect(onProgress.mock.calls).toEqual([[{ receivedBytes: 1_000, totalBytes: row.totalBytes }]]);
  });
});

describe("a client in a worker", () => {
  it.each([
    ["", "https://app.test/w/worker.js", "https://app.test/w/pdf/api"],
    [" even if the worker has a blob: URL", "blob:https://app.test/1-2", "https://app.test/pdf/api"],
  ])("resolves a base URL against the worker's URL%s", async (_, href, start) => {
    await inWorker(href, "https://app.test").generate("invoice", {}).bytes();
    expect(fetch.mock.calls[0]?.[0].startsWith(`${start}/v1/`)).toBe(true);
  });

  it("rejects a relative base URL if the worker has no origin", () => {
    expect(() => inWorker("blob:null/1-2", "null")).toThrow(ConfigurationError);
  });
});

it.each([
  undefined,
  "ftp://pdf.test",
  "https+x://pdf.test",
  "https://user:password@pdf.test",
  "https://pdf.test/?a=b",
  "https://pdf.test/#a",
  "https://pdf.test/api/v1/templates",
  "https://pdf.test/x/generate-sync",
])("a client rejects the base URL %s", (baseUrl) => {
  const options = { fetch, apiKey: null, baseUrl } as ClientOptions;
  expect(() => clientIn({}, options)).toThrow(ConfigurationError);
});
