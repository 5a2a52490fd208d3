import { afterEach, expect, it, vi } from "vitest";
import { TemplatePdf } from "../../src/index.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** What a page of Electron is told of a call that its browser has let nowhere. */
async function messageFor(baseUrl: string): Promise<string> {
  vi.stubGlobal("process", Object.create(process, { type: { value: "renderer" } }));
  vi.stubGlobal("document", { baseURI: "https://app.example.com/orders/7" });
  const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  const pdfs = new TemplatePdf({ baseUrl, fetch, retry: false });
  return pdfs
    .generate("invoice", {})
    .bytes()
    .then(() => "a document", String);
}

it("tells a page that asks another origin what it needs there", async () => {
  expect(await messageFor("https://api.example.com/pdf")).toContain(
    "try again. A page of https://app.example.com needs the server's leave there (CORS): with createHandler, list it in `origins`.",
  );
});

it("tells a page that asks its own origin nothing of that", async () => {
  expect(await messageFor("/pdf")).toMatch(/then try again\.$/);
});
