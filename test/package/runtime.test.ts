import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
afterAll(() => service.close());

/** Prints the results of a first program, in either module system. */
const generate = `
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  const bytes = await client.generate("inv_2024", { total: "1" }).bytes();
  const saved = await client
    .generate("inv_2024", { total: "1" })
    .saveTo("invoice.pdf")
    .catch((error) => ({ error: error.code, oneClass: error instanceof TemplatePdfError }));
  console.log(JSON.stringify({ transport: client.transport, bytes: bytes.length, saved }));
  await client.close();
`;
const startEmulator = `startEmulator({ templates: "templates" }).catch((error) => console.log(error.message));`;
const emulatorAsText = `const { startEmulator } = require("template-pdf/emulator");${startEmulator}`;

const project = makeProject("runtime", {
  "package.json": "{}",
  "main.mjs": `import { TemplatePdf, TemplatePdfError } from "template-pdf";${generate}`,
  "main.cjs": `const { TemplatePdf, TemplatePdfError } = require("template-pdf");(async () => {${generate}})();`,
  // As in Jest: a module in node:vm has no import() unless one is provided.
  "jest.cjs": `
    const { createRequire, Module } = require("node:module");
    const vm = require("node:vm");
    Module.prototype._compile = function (code, filename) {
      const run = vm.runInThisContext(Module.wrap(code), { filename });
      run.call(this.exports, this.exports, createRequire(filename), this, filename, require("node:path").dirname(filename));
    };
    require("./main.cjs");
  `,
  "emulator.mjs": `import { startEmulator } from "template-pdf/emulator";${startEmulator}`,
  "emulator.cjs": emulatorAsText,
  "templates/inv_2024.mjs": "export default () => ({ content: [] });",
  "one-class.mjs": `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    for (const entry of ["template-pdf", "template-pdf/emulator", "template-pdf/testing"]) {
      const [imported, required] = [await import(entry), require(entry)];
      const names = Object.keys(imported);
      console.log(entry, names.length > 0 && names.every((name) => imported[name] === required[name]));
    }
  `,
  ".env": "TEMPLATE_PDF_BASE_URL=https://pdf.example.com\nTEMPLATE_PDF_API_KEY=k3yk3y\n",
  "settings.mjs": `
    import { TemplatePdf } from "template-pdf";
    for (const options of [{}, { baseUrl: "https://pdf.example.com" }]) {
      try {
        console.log(new TemplatePdf(options).transport);
      } catch (error) {
        console.log(error.message);
      }
    }
  `,
  "testing.mjs": `
    import { TemplatePdf } from "template-pdf";
    import { assertWholePdf, fakePdf, fakeService, pdfText } from "template-pdf/testing";
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
    const real = new TextEncoder().encode(new TextDecoder("latin1").decode(fakePdf()).replace(/^%.*fake.*$/gim, ""));
    await pdfText(real).catch((error) => console.log(/pdfjs-dist/.test(error.message)));
  `,
});

const noEsModules = "--no-experimental-require-module";
const browser = "--conditions=browser";

describe("the package in an empty project", () => {
  it.each([[["main.mjs"]], [["main.cjs"]], [[noEsModules, "main.cjs"]], [[noEsModules, "jest.cjs"]]])(
    "generates documents by undici with %j",
    async (args) => {
      const result = JSON.parse(await runNode(project, ...args, service.baseUrl));
      const saved = { path: "invoice.pdf", bytes: pdf.length };
      expect(result).toEqual({ transport: "undici", bytes: pdf.length, saved });
      expect(readFileSync(join(project, "invoice.pdf"), "latin1")).toBe(pdf);
    },
  );

  it("names a .env file that sets a missing variable, and uses the variable if Node reads the file", async () => {
    const advice = "Node does not load it by default. Start your program with node --env-file=.env.\n";
    expect(await runNode(project, "settings.mjs")).toBe(
      `The base URL of the service is missing. The file .env sets TEMPLATE_PDF_BASE_URL, but ${advice}` +
        `The API key is missing. The file .env sets TEMPLATE_PDF_API_KEY, but ${advice}`,
    );
    expect(await runNode(project, "--env-file=.env", "settings.mjs")).toBe("undici\nundici\n");
  });

  // Jest with jsdom uses these conditions. The platform throws the error, and the entry point exports its class.
  it.each([[[browser, "main.mjs"]], [[browser, noEsModules, "main.cjs"]]])(
    "generates documents by fetch with %j, and saves none",
    async (args) => {
      const result = JSON.parse(await runNode(project, ...args, service.baseUrl));
      const saved = { error: "invalid_configuration", oneClass: true };
      expect(result).toEqual({ transport: "fetch", bytes: pdf.length, saved });
    },
  );

  it.each([
    [["emulator.mjs"]],
    [[noEsModules, "emulator.cjs"]],
    // A thread accepts neither of these flags.
    [["--max-old-space-size=500", "--expose-gc", "emulator.mjs"]],
    [["-e", emulatorAsText]],
  ])("starts the thread of the emulator with %j, which requires pdfmake", async (args) => {
    expect(await runNode(project, ...args)).toBe(
      "The emulator renders with pdfmake, which is not installed: npm install pdfmake\n",
    );
  });

  it("has the same exports with import and require", async () => {
    expect(await runNode(project, "one-class.mjs")).toBe(
      "template-pdf true\ntemplate-pdf/emulator true\ntemplate-pdf/testing true\n",
    );
  });

  it("has a fake service, and requires pdf.js for the text of real documents", async () => {
    expect(await runNode(project, "testing.mjs")).toBe(`${'"inv_2024\\ntotal: £1"\n'.repeat(2)}true\n`);
  });

  it.each([
    ["is not installed", "", "(Cannot find module 'msw'). Run npm install --save-dev msw. "],
    ["is broken", 'throw new Error("this MSW is broken");', "(this MSW is broken)"],
  ])("reports what to do for `handlers` if MSW %s", async (state, msw, problem) => {
    const program = `import { fakeService } from "template-pdf/testing";
      try { fakeService().handlers } catch (error) { console.log(error.code, error.message) }`;
    const folder = makeProject(`msw-${state.replaceAll(" ", "-")}`, {
      "main.mjs": program,
      "package.json": "{}",
      ...(msw && {
        "node_modules/msw/package.json": '{ "main": "main.js" }',
        "node_modules/msw/main.js": msw,
      }),
    });
    const reason = "invalid_configuration `handlers` are for MSW, which cannot be loaded ";
    expect(await runNode(folder, "main.mjs")).toContain(reason + problem);
  });
});
