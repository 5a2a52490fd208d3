import { build } from "esbuild";
import type * as clientModule from "template-pdf";
import type * as testingModule from "template-pdf/testing";
import { expect, it } from "vitest";
import { consumer } from "./consumer.ts";

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

it("a browser bundle of the client contains only browser files", async () => {
  const { metafile, warnings } = await bundle('export { TemplatePdf } from "template-pdf";');
  expect(warnings).toEqual([]);
  const inputs = Object.keys(metafile.inputs).filter((path) => path !== "<stdin>");
  const files = ["base.js", "errors/errors.js", "index.js", "platform/browser.js"];
  expect(inputs.sort()).toEqual(files.map((file) => `node_modules/template-pdf/dist/${file}`));
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});

it("a browser bundle of template-pdf/testing works without Node", async () => {
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
  bundled.assertWholePdf(bytes);
  expect(await bundled.pdfText(new Blob([bytes]))).toBe("inv_2024\ntotal: £1");
  await expect(service.listen()).rejects.toThrow("needs Node, Deno or Bun");
});
