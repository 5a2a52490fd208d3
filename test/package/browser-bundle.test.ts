import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import type * as clientModule from "template-pdf";
import type * as testingModule from "template-pdf/testing";
import { describe, expect, it } from "vitest";
import { consumer } from "./consumer.ts";
import { pdf } from "./pdf-service.ts";

const bundle = (contents: string) =>
  build({
    stdin: { contents, resolveDir: consumer },
    absWorkingDir: consumer,
    bundle: true,
    minify: true,
    platform: "browser",
    metafile: true,
    write: false,
    logLevel: "silent",
    format: "iife",
    globalName: "bundled",
    external: ["pdfjs-dist/*"],
  });

/** All that the bundle may use of a page, in addition to the language. */
const page = {
  ...{ AbortController, Blob, DOMException, Headers, ReadableStream, Request, Response },
  ...{ TextDecoder, TextEncoder, URL, btoa, clearTimeout, performance, setTimeout },
  document: {},
  location: { href: "https://app.example.com/orders/7" },
};

describe("a browser bundle of the client", async () => {
  const { metafile, outputFiles, warnings } = await bundle('export { TemplatePdf } from "template-pdf";');

  it("contains this package for browsers only, without a warning", () => {
    expect(warnings).toEqual([]);
    const inputs = Object.keys(metafile.inputs).filter((path) => path !== "<stdin>");
    expect(inputs.filter((path) => !path.startsWith("node_modules/template-pdf/dist/"))).toEqual([]);
    const platform = inputs.filter((path) => path.includes("/platform/"));
    expect(platform.map((path) => path.replace(/^.*dist\//, ""))).toEqual(["platform/web.js"]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it.each([
    ["generates a document", () => new Response(pdf), undefined],
    ["rejects with not_found", () => new Response("{}", { status: 404 }), "not_found"],
    ["rejects with truncated_pdf", () => new Response(pdf.slice(0, -20)), "truncated_pdf"],
  ])("%s with the globals of a page", async (_what, respond, code) => {
    const context = createContext({ ...page, fetch: async () => respond() });
    runInContext(outputFiles[0]?.text ?? "", context);
    const client: clientModule.TemplatePdf = runInContext(
      'new bundled.TemplatePdf({ baseUrl: "/pdf" })',
      context,
    );
    const blob = client.generate("inv_2024", { total: "£1" }, { retry: false }).blob();
    if (code) await expect(blob).rejects.toMatchObject({ code });
    else expect(await (await blob).text()).toBe(pdf);
  });
});

it("a browser bundle of template-pdf/testing answers a client without Node and cannot listen", async () => {
  const { metafile, outputFiles } = await bundle(
    'export { TemplatePdf } from "template-pdf"; export * from "template-pdf/testing";',
  );
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  // Loaded only for real documents.
  expect(imports.filter((path) => !path.startsWith("pdfjs-dist/"))).toEqual([]);
  const load = new Function(`${outputFiles[0]?.text}; return bundled;`);
  const bundled: typeof clientModule & typeof testingModule = load();
  const service = bundled.fakeService({ apiKeys: null });
  const pdfs = new bundled.TemplatePdf({ baseUrl: service.baseUrl, apiKey: null, fetch: service.fetch });
  const bytes = await pdfs.generate("inv_2024", { total: "£1" }).bytes();
  expect(await bundled.pdfText(bytes)).toBe("inv_2024\ntotal: £1");
  await expect(service.listen()).rejects.toThrow("nothing can listen in a page or an edge worker");
});
