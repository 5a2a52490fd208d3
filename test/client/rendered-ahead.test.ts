import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError, TemplatePdf } from "../../src/index.ts";
import { fakePdf } from "../../src/testing/index.ts";
import { generate } from "./every-form.ts";

/** What frameworks do on the server with the code of a page, and with pages that they render ahead of any request. */

afterEach(() => vi.unstubAllEnvs());

describe("a client of a page, made where there is no page,", () => {
  const calls: unknown[] = [];
  const fetch = async (...call: unknown[]) => {
    calls.push(call);
    return new Response(fakePdf().slice());
  };

  it.each([
    ["with nothing but a relative base URL", { baseUrl: "/api/pdf" }],
    ["relative to where the page is", { baseUrl: "./pdf" }],
    ["relative to what is above it", { baseUrl: "../pdf" }],
    ["that says there is no key", { baseUrl: "/api/pdf", apiKey: null }],
    ["with headers of the app's session", { baseUrl: "/", headers: { "x-session": "1" } }],
  ])("%s, is made, and each call of it rejects", async (_, options) => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", "key-of-the-server");
    const pdfs = new TemplatePdf({ ...options, fetch });
    for (const one of [pdfs, pdfs.with({ retry: false })]) {
      const error = await generate(one)
        .bytes()
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/relative to a page, and this is none/);
    }
    expect(calls).toEqual([]);
  });

  it.each([
    ["a key", { baseUrl: "/api/pdf", apiKey: "key-of-the-server" }],
    ["the address of another host", { baseUrl: "//pdf.example.com", apiKey: null }],
  ])("is refused with %s", (_, options) => {
    expect(() => new TemplatePdf(options)).toThrow(/does not begin with https:/);
  });

  it("is one of a server, once it is given the whole URL", async () => {
    const pdfs = new TemplatePdf({ baseUrl: "/api/pdf", fetch });
    await pdfs.with({ baseUrl: "https://pdf.example.com" }).generate("invoice", {}).bytes();
    expect(calls.splice(0)).toHaveLength(1);
  });
});

it("what the `fetch` of a framework ends a rendering with reaches the framework as it is, and is not asked for twice", async () => {
  const signal = Object.assign(new Error("Dynamic server usage"), { digest: "DYNAMIC_SERVER_USAGE" });
  const fetch = vi.fn(async () => Promise.reject(signal));
  const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "k", fetch });
  await expect(pdfs.generate("invoice", {}).bytes()).rejects.toBe(signal);
  await expect(pdfs.generate("invoice", {})).rejects.toBe(signal);
  expect(fetch).toHaveBeenCalledTimes(2);
});
