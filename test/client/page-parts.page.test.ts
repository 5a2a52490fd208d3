import { getEventListeners } from "node:events";
import { ConfigurationError, ServerError, TemplatePdf } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Redactor } from "../../src/errors/redact.ts";
import { pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";

// Tests of behaviour that is implemented separately for Node and for browsers.

const fetch = vi.fn(async (_url: string) => new Response(new Uint8Array(pdfOf(100))));

afterEach(() => {
  fetch.mockClear();
  vi.unstubAllGlobals();
});

describe("a client in a worker", () => {
  const inWorker = (location: object) => {
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("WorkerGlobalScope", class {});
    vi.stubGlobal("location", location);
    return new TemplatePdf({ fetch, baseUrl: "pdf" });
  };

  it.each([
    ["", { href: "https://app.test/w/worker.js", origin: "https://app.test" }, "https://app.test/w/pdf/api"],
    [
      " of a Blob",
      { href: "blob:https://app.test/1-2", origin: "https://app.test" },
      "https://app.test/pdf/api",
    ],
  ])("resolves a base URL against its own address%s", async (_, location, start) => {
    const client = inWorker(location);
    vi.unstubAllGlobals();
    await client.generate("invoice", {}).bytes();
    expect(fetch.mock.calls[0]?.[0].startsWith(`${start}/v1/`)).toBe(true);
  });

  it("rejects a relative base URL if it was created from a Blob in a page without an origin", () => {
    expect(() => inWorker({ href: "blob:null/1-2", origin: "null" })).toThrow(ConfigurationError);
  });
});

it.each([
  undefined,
  "ftp://pdf.test",
  "xhttps://pdf.test",
  "https+x://pdf.test",
  "https://user:password@pdf.test",
  "https://pdf.test/?a=b",
  "https://pdf.test/#a",
  "https://pdf.test/api/v1/templates",
  "https://pdf.test/x/generate-sync",
])("a client rejects the base URL %s", (baseUrl) => {
  vi.stubEnv("TEMPLATE_PDF_BASE_URL", undefined);
  expect(() => new TemplatePdf({ fetch, apiKey: null, baseUrl: baseUrl as string })).toThrow(
    ConfigurationError,
  );
  vi.unstubAllEnvs();
});

it("the error of an API key function has the error of the previous attempt as its cause", async () => {
  const service = await Service.start(saying(503, "", { "retry-after": "0" }));
  const keys = ["first"];
  const apiKey = () => {
    const next = keys.shift();
    if (next === undefined) throw new RangeError("no key");
    return next;
  };
  const client = service.client({ apiKey, retry: { limit: 1 } });
  const later = await rejectionOf(client.generate("inv", {}));
  expect(later).toMatchObject({ code: "invalid_configuration", attempts: 1, cause: expect.any(ServerError) });
  const first = await rejectionOf(client.generate("inv", {}));
  expect(first).toMatchObject({ attempts: 0 });
  expect(first).not.toHaveProperty("cause");
  const empty = await rejectionOf(service.client({ apiKey: () => "" }).generate("inv", {}));
  expect(empty).toMatchObject({ code: "invalid_configuration", attempts: 0 });
});

it("a call rejects with the reason of its signal and removes its listener", async () => {
  const service = await Service.start(withLength(pdfOf(100)));
  const { signal } = new AbortController();
  await service.client().generate("inv", {}, { signal }).bytes();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const silent = await Service.start(() => {});
  const controller = new AbortController();
  const pending = rejectionOf(silent.client().generate("inv", {}, { signal: controller.signal }));
  await silent.request();
  controller.abort("enough");
  expect(await pending).toBe("enough");
});

it("a cancelled document rejects with an AbortError whose message says so", async () => {
  const service = await Service.start(withLength(pdfOf(100)));
  const document = await service.client().generate("inv", {});
  await document.cancel();
  const error = await rejectionOf(document.bytes());
  expect(error).toMatchObject({ name: "AbortError", message: "The document was cancelled." });
});

it("the stack of an error starts with the error and contains the line that awaits it", async () => {
  const service = await Service.start(saying(404));
  const error = (await rejectionOf(service.client().generate("inv", {}))) as Error;
  const [first, ...frames] = error.stack?.split("\n") ?? [];
  expect(first).toBe(String(error));
  expect(frames.join("\n")).toContain("page-parts.page.test");
});

describe("The cause of an error", () => {
  const redact = (cause: unknown) => new Redactor("k1234567", '{"a":"GB33BUKB"}').causeWithoutSecrets(cause);

  it.each([
    undefined,
    new TypeError("Failed to fetch"),
    Object.assign(new Error("boom"), { lineNumber: 7, columnNumber: 70, fileName: "a.js" }),
  ])("stays the same object if it contains no secret: %s", (cause) => {
    expect(redact(cause)).toBe(cause);
  });

  it.each([
    ["its message", new TypeError("no GB33BUKB"), "no [redacted]"],
    ["its stack", Object.assign(new Error("boom"), { stack: "at k1234567" }), "boom"],
    ["a property", Object.assign(new Error("boom"), { input: "GB33BUKB" }), "boom"],
    ["a property named like a file", Object.assign(new Error("boom"), { "a.fileName": "GB33BUKB" }), "boom"],
    ["a property named like a message", Object.assign(new Error("boom"), { messages: "GB33BUKB" }), "boom"],
  ])("is a copy without the secret in %s", (_, cause, message) => {
    const copy = redact(cause) as Error;
    expect(copy).not.toBe(cause);
    expect(copy).toMatchObject({ name: cause.name, message });
    expect(JSON.stringify(copy) + copy.stack).not.toMatch(/GB33BUKB|k1234567/);
  });

  it("is a string if it is not an error", () => {
    expect(redact("no GB33BUKB")).toBe("no [redacted]");
  });

  it("is a generic error if it cannot be read", () => {
    const unreadable = new Proxy(new Error("boom"), {
      getPrototypeOf() {
        throw new Error("unreadable");
      },
    });
    expect(redact(unreadable)).toMatchObject({ message: "an error that cannot be read" });
  });
});
