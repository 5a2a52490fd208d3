import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import type * as face from "template-pdf";
import { describe, expect, it } from "vitest";
import { consumer } from "./consumer.ts";
import { pdf } from "./pdf-service.ts";

const { metafile, outputFiles, warnings } = await build({
  stdin: { contents: 'export { TemplatePdf } from "template-pdf";', resolveDir: consumer },
  absWorkingDir: consumer,
  bundle: true,
  minify: true,
  platform: "browser",
  metafile: true,
  write: false,
  logLevel: "silent",
  format: "iife",
  globalName: "bundled",
});

/** What a page has beside the language itself: all that the bundle may use. */
const page = {
  AbortController,
  Blob,
  DOMException,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  btoa,
  clearTimeout,
  document: {},
  location: { href: "https://app.example.com/orders/7" },
  performance,
  setTimeout,
};

/** Runs the bundle in a page of its own, whose service answers with this. */
function open(answer: () => Response): face.TemplatePdf {
  const context = createContext({ ...page, fetch: async () => answer() });
  runInContext(outputFiles[0]?.text ?? "", context);
  return runInContext('new bundled.TemplatePdf({ baseUrl: "/pdf" })', context);
}

describe("a browser bundle of the client", () => {
  it("bundles without a warning", () => {
    expect(warnings).toEqual([]);
  });

  it("holds this package only: no undici, nothing of Node", () => {
    const foreign = Object.keys(metafile.inputs).filter(
      (path) => !/^node_modules\/template-pdf\/dist\//.test(path),
    );
    expect(foreign).toEqual(["<stdin>"]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it("takes the twins for pages", () => {
    const twins = Object.keys(metafile.inputs).filter((path) => /\/platform\//.test(path));
    expect(twins.map((path) => path.replace(/^.*dist\//, ""))).toEqual(["platform/web.js"]);
  });

  it("brings a document where there is nothing but the web", async () => {
    const blob = await open(() => new Response(pdf))
      .generate("inv_2024", { total: "1" })
      .blob();
    expect(await blob.text()).toBe(pdf);
  });

  it.each([
    ["not_found", () => Response.json({ message: "total: £1,000,000" }, { status: 404 })],
    ["invalid_pdf", () => new Response("<html>Sign in</html>")],
    ["truncated_pdf", () => new Response(pdf.slice(0, -20))],
    [
      "connection_failed",
      () => {
        throw new TypeError("Failed to fetch");
      },
    ],
  ])("tells of %s there", async (code, answer) => {
    const generated = open(answer).generate("inv_2024", { total: "£1,000,000" }, { retry: false });
    await expect(generated.bytes()).rejects.toMatchObject({ code, attempts: 1 });
  });
});
