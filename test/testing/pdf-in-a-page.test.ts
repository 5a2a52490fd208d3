import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { describe, expect, it } from "vitest";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** What a page is to find in the place of ours. */
const page: Plugin = {
  name: "page",
  setup({ onResolve }) {
    onResolve({ filter: /^#platform$/ }, () => ({ path: source("platform/web.ts") }));
  },
};

describe("documents of tests that run in a page", () => {
  it("are made, read and judged without anything of Node, and without pdf.js", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: ["fake-pdf", "pdf-text", "assert-whole-pdf"]
          .map((name) => `export * from "${source(`testing/${name}.ts`)}";`)
          .join("\n"),
        resolveDir: source("."),
      },
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      logLevel: "silent",
      plugins: [page],
      // As in a project that does not have it.
      alias: { "pdfjs-dist": "not-installed" },
    });
    const code = outputFiles[0]?.text ?? "";
    expect(code.match(/(?:import|require)\(?[^\n]*["']node:[^\n]*/g)).toBeNull();
    const kit = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    const pdf = kit.fakePdf({ text: "in a page: Łoś" });
    kit.assertWholePdf(pdf);
    expect(await kit.pdfText(new Blob([pdf]))).toBe("in a page: Łoś");
  });
});
