import { build } from "esbuild";
import type * as face from "template-pdf";
import type * as kit from "template-pdf/testing";
import { expect, it } from "vitest";
import { consumer } from "./consumer.ts";

it("a page that is tested with template-pdf/testing needs nothing of Node, and nothing else installed", async () => {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: 'export { TemplatePdf } from "template-pdf"; export * from "template-pdf/testing";',
      resolveDir: consumer,
    },
    absWorkingDir: consumer,
    bundle: true,
    platform: "browser",
    metafile: true,
    write: false,
    logLevel: "silent",
    format: "esm",
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  // Asked for only where a document is no fake.
  expect(imported.filter((path) => !path.startsWith("pdfjs-dist/"))).toEqual([]);

  const code = outputFiles[0]?.text ?? "";
  const bundled: typeof face & typeof kit = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const service = bundled.fakeService({ apiKeys: null });
  const pdfs = new bundled.TemplatePdf({ baseUrl: service.baseUrl, apiKey: null, fetch: service.fetch });
  const bytes = await pdfs.generate("inv_2024", { total: "£1" }).bytes();
  expect(await bundled.pdfText(bytes)).toBe("inv_2024\ntotal: £1");
  await expect(service.listen()).rejects.toThrow("nothing can listen in a page or an edge worker");
});
