import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
afterAll(() => service.close());

/** Prints what a first program gets, in either module system. */
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
  "main.mjs": `import { TemplatePdf, TemplatePdfError } from "template-pdf";${generate}`,
  "main.cjs": `const { TemplatePdf, TemplatePdfError } = require("template-pdf");(async () => {${generate}})();`,
  // As in Jest: a module that node:vm runs has no import() unless it is given one.
  "jest.cjs": `
    const { readFileSync } = require("node:fs");
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
});

const noEsModules = "--no-experimental-require-module";
const browser = "--conditions=browser";

describe("an empty project", () => {
  it.each([[["main.mjs"]], [["main.cjs"]], [[noEsModules, "main.cjs"]], [[noEsModules, "jest.cjs"]]])(
    "generates documents by undici with %j",
    async (args) => {
      const result = JSON.parse(await runNode(project, ...args, service.baseUrl));
      const saved = { path: "invoice.pdf", bytes: pdf.length };
      expect(result).toMatchObject({ transport: "undici", bytes: pdf.length, saved });
      expect(readFileSync(join(project, "invoice.pdf"), "latin1")).toBe(pdf);
    },
  );

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
    // A thread takes none of these flags.
    [["--max-old-space-size=500", "--expose-gc", "emulator.mjs"]],
    [["-e", emulatorAsText]],
  ])("starts the thread of the emulator with %j, which requires pdfmake", async (args) => {
    expect(await runNode(project, ...args)).toBe(
      "The emulator renders with pdfmake, which is not installed: npm install pdfmake\n",
    );
  });

  it("gets the same exports with import and require", async () => {
    expect(await runNode(project, "one-class.mjs")).toBe(
      "template-pdf true\ntemplate-pdf/emulator true\ntemplate-pdf/testing true\n",
    );
  });
});
