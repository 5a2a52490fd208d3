import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runToEnd } from "../support/programs.ts";
import { consumer, installed, makeProject, runNode } from "./consumer.ts";
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
const emulatorAsText = `
  require("template-pdf/emulator").startEmulator({ templates: "templates" })
    .catch((error) => console.log(error.message));
`;

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
  "testing.mjs": `
    import { TemplatePdf } from "template-pdf";
    import { fakePdf, fakeService, pdfText } from "template-pdf/testing";
    const service = fakeService();
    const pdfs = new TemplatePdf({ apiKey: service.apiKey, baseUrl: service.baseUrl, fetch: service.fetch });
    console.log(JSON.stringify(await pdfText(await pdfs.generate("inv_2024", { total: "£1" }).bytes())));
    const real = Buffer.from(Buffer.from(fakePdf()).toString("latin1").replace(/^%.*fake.*$/gim, ""), "latin1");
    await pdfText(real).catch((error) => console.log(/pdfjs-dist/.test(error.message)));
    try { service.handlers } catch (error) { console.log(error.code, error.message) }
  `,
});

const noEsModules = "--no-experimental-require-module";

describe("the package in an empty project", () => {
  it.each([[["main.mjs"]], [[noEsModules, "main.cjs"]], [[noEsModules, "jest.cjs"]]])(
    "generates documents with undici when Node runs %j",
    async (args) => {
      const result = JSON.parse(await runNode(project, ...args, service.baseUrl));
      const saved = { path: "invoice.pdf", bytes: pdf.length };
      expect(result).toEqual({ transport: "undici", bytes: pdf.length, saved });
      expect(readFileSync(join(project, "invoice.pdf"), "latin1")).toBe(pdf);
    },
  );

  // Jest with jsdom uses this condition. The platform throws the error, and the entry point exports its class.
  it("generates documents with fetch if the `browser` condition is set", async () => {
    const result = JSON.parse(await runNode(project, "--conditions=browser", "main.mjs", service.baseUrl));
    const saved = { error: "invalid_configuration", oneClass: true };
    expect(result).toEqual({ transport: "fetch", bytes: pdf.length, saved });
  });

  it.each([
    // A thread does not accept this flag.
    ["a program with --expose-gc", [noEsModules, "--expose-gc", "emulator.cjs"]],
    ["a program passed on the command line", ["-e", emulatorAsText]],
  ])("starts the emulator's thread in %s", async (_, args) => {
    expect(await runNode(project, ...args)).toBe(
      "The emulator renders with pdfmake, which is not installed: npm install pdfmake\n",
    );
  });

  it("has the same exports for import and require", async () => {
    expect(await runNode(project, "one-class.mjs")).toBe(
      "template-pdf true\ntemplate-pdf/emulator true\ntemplate-pdf/testing true\n",
    );
  });

  it("runs a fake service, and reports missing optional packages", async () => {
    const lines = (await runNode(project, "testing.mjs")).split("\n");
    expect(lines.slice(0, 2)).toEqual(['"inv_2024\\ntotal: £1"', "true"]);
    expect(lines[2]).toContain(
      "invalid_configuration `handlers` are for MSW, which cannot be loaded (Cannot find module 'msw'). Run npm install --save-dev msw. ",
    );
  });

  it("has a command that npm links in node_modules/.bin", async () => {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const linked = join(consumer, "node_modules/.bin/template-pdf");
    const ending = await (process.platform === "win32"
      ? runToEnd("cmd.exe", ["/c", `${linked}.cmd`, "--version"], { cwd: project })
      : runToEnd(linked, ["--version"], { cwd: project }));
    expect(ending).toMatchObject({ exitCode: 0, printed: `${version}\n` });
  });
});
