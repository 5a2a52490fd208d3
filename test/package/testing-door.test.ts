import { describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";

const project = makeProject("testing-door", { "package.json": "{}" });
const run = (code: string) => runNode(project, "--input-type=module", "--eval", code);

/** What `service.handlers` says where MSW stands in `node_modules` as these files. */
async function handlersWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const code = `
    import { fakeService } from "template-pdf/testing";
    try { fakeService().handlers } catch (error) { console.log(error.code, error.message) }
  `;
  return runNode(
    makeProject(`testing-door/${name}`, { "package.json": "{}", ...files }),
    "--input-type=module",
    "--eval",
    code,
  );
}

describe("template-pdf/testing, with nothing else installed", () => {
  it("is one and the same for import and require", async () => {
    const code = `
      import { createRequire } from "node:module";
      import * as imported from "template-pdf/testing";
      const required = createRequire(import.meta.url)("template-pdf/testing");
      console.log(Object.keys(imported).filter((name) => required[name] === imported[name]).join());
    `;
    expect(await run(code)).toBe("assertWholePdf,fakePdf,fakeService,faults,pdfText\n");
  });

  it("serves a client, and reads its own documents", async () => {
    const code = `
      import { TemplatePdf } from "template-pdf";
      import { assertWholePdf, fakeService, pdfText } from "template-pdf/testing";
      const service = fakeService();
      const listening = await service.listen();
      for (const options of [{ baseUrl: service.baseUrl, fetch: service.fetch }, { baseUrl: listening.baseUrl }]) {
        const pdfs = new TemplatePdf({ apiKey: service.apiKey, ...options });
        const bytes = await pdfs.generate("inv_2024", { total: "£1" }).bytes();
        assertWholePdf(bytes);
        console.log(JSON.stringify(await pdfText(bytes)));
        await pdfs.close();
      }
      await listening.close();
    `;
    expect(await run(code)).toBe('"inv_2024\\ntotal: £1"\n'.repeat(2));
  });

  it("says that MSW is not installed, and what to do without", async () => {
    const said = await handlersWith("no-msw", {});
    expect(said).toBe(
      "invalid_configuration `handlers` are for MSW, which cannot be loaded here (Cannot find module 'msw'): npm install --save-dev msw. " +
        "Without MSW, give `service.fetch` to the client, or let it use `service.listen()`.\n",
    );
  });

  it("says why an MSW that is installed cannot be loaded", async () => {
    const said = await handlersWith("broken-msw", {
      "node_modules/msw/package.json": '{ "main": "main.js" }',
      "node_modules/msw/main.js": 'throw new Error("this MSW is broken");',
    });
    expect(said).toContain("cannot be loaded here (this MSW is broken)");
  });

  it("says that pdf.js is needed for a document that is no fake", async () => {
    const code = `
      import { pdfText, fakePdf } from "template-pdf/testing";
      const foreign = new TextEncoder().encode(new TextDecoder("latin1").decode(fakePdf()).replace(/^%.*fake.*$/gim, ""));
      await pdfText(foreign).catch((error) => console.log(error.message));
    `;
    expect(await run(code)).toContain("pdfjs-dist");
  });
});
