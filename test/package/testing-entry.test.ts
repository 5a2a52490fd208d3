import { describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";

const run = (name: string, code: string, files: Readonly<Record<string, string>> = {}) =>
  runNode(
    makeProject(`testing-entry/${name}`, { "package.json": "{}", ...files }),
    "--input-type=module",
    "--eval",
    code,
  );

describe("template-pdf/testing, without other packages,", () => {
  it("answers a client in memory and on a port", async () => {
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
    expect(await run("service", code)).toBe('"inv_2024\\ntotal: £1"\n'.repeat(2));
  });

  it.each([
    [
      "is not installed",
      {},
      "cannot be loaded here (Cannot find module 'msw'): npm install --save-dev msw. ",
    ],
    [
      "is broken",
      {
        "node_modules/msw/package.json": '{ "main": "main.js" }',
        "node_modules/msw/main.js": 'throw new Error("this MSW is broken");',
      },
      "cannot be loaded here (this MSW is broken)",
    ],
  ])("says what to do for `handlers` if MSW %s", async (state, files, problem) => {
    const code = `
      import { fakeService } from "template-pdf/testing";
      try { fakeService().handlers } catch (error) { console.log(error.code, error.message) }
    `;
    const said = await run(state.replaceAll(" ", "-"), code, files);
    expect(said).toContain(`invalid_configuration \`handlers\` are for MSW, which ${problem}`);
  });

  it("names pdf.js for the text of a real document", async () => {
    const code = `
      import { pdfText, fakePdf } from "template-pdf/testing";
      const real = new TextEncoder().encode(new TextDecoder("latin1").decode(fakePdf()).replace(/^%.*fake.*$/gim, ""));
      await pdfText(real).catch((error) => console.log(error.message));
    `;
    expect(await run("pdf-js", code)).toContain("pdfjs-dist");
  });
});
