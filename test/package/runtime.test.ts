import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
afterAll(() => service.close());

/** What a user writes first, in either module system; prints what came of it. */
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
const esModule = `import { TemplatePdf, TemplatePdfError } from "template-pdf";${generate}`;
const commonJs = `const { TemplatePdf, TemplatePdfError } = require("template-pdf");(async () => {${generate}})();`;

const withUndici = {
  transport: "undici",
  bytes: pdf.length,
  saved: { path: "invoice.pdf", bytes: pdf.length },
};
// The error is thrown by the twin and caught with the class of the door.
const withFetch = {
  transport: "fetch",
  bytes: pdf.length,
  saved: { error: "invalid_configuration", oneClass: true },
};

const starting = `import { startEmulator } from "template-pdf/emulator";
  startEmulator({ templates: "templates" }).catch((error) => console.log(error.message));`;

describe("an empty project", () => {
  let project: string;

  beforeAll(() => {
    project = makeProject("runtime", { "main.mjs": esModule, "main.cjs": commonJs });
  });

  it.each([
    ["an ES module", ["main.mjs"], withUndici],
    ["a CommonJS module", ["main.cjs"], withUndici],
    [
      "a CommonJS module where require() loads no ES modules",
      ["--no-experimental-require-module", "main.cjs"],
      withUndici,
    ],
    ["an ES module under the conditions of a page", ["--conditions=browser", "main.mjs"], withFetch],
    [
      "a CommonJS module under the conditions of a page, as in Jest with jsdom",
      ["--conditions=browser", "--no-experimental-require-module", "main.cjs"],
      withFetch,
    ],
  ])("generates a document from %s", async (_title, args, expected) => {
    const result = JSON.parse(await runNode(project, ...args, service.baseUrl));
    expect(result).toMatchObject(expected);
    if (expected === withUndici) expect(readFileSync(join(project, "invoice.pdf"), "latin1")).toBe(pdf);
  });

  it("loads undici where CommonJS may not use import(), as in Jest", async () => {
    // Code that is run by the means of node:vm, as Jest does, has no import() unless it is given one.
    const folder = makeProject("jest-like", {
      "main.cjs": `
        const { readFileSync } = require("node:fs");
        const { createRequire, Module } = require("node:module");
        const vm = require("node:vm");
        Module.prototype._compile = function (code, filename) {
          const run = vm.runInThisContext(Module.wrap(code), { filename });
          run.call(this.exports, this.exports, createRequire(filename), this, filename, require("node:path").dirname(filename));
        };
        require("./test.cjs");
      `,
      "test.cjs": commonJs,
    });
    const args = ["--no-experimental-require-module", "main.cjs", service.baseUrl];
    expect(JSON.parse(await runNode(folder, ...args))).toMatchObject(withUndici);
  });

  it.each([
    ["an ES module", ["main.mjs"]],
    ["a CommonJS module", ["main.cjs"]],
    [
      "a CommonJS module where require() loads no ES modules",
      ["--no-experimental-require-module", "main.cjs"],
    ],
    ["a process with flags that no thread takes", ["--max-old-space-size=500", "--expose-gc", "main.mjs"]],
    ["a program given as text", ["--input-type=module", "--eval", starting]],
    [
      "a script given as text",
      ["-e", starting.replace(/^import (.*) from (.*?);/, "const $1 = require($2);")],
    ],
  ])("starts the emulator from %s: its thread begins, and asks for pdfmake", async (_title, args) => {
    const folder = makeProject("emulator", {
      "main.mjs": starting,
      "main.cjs": starting.replace(/^import (.*) from (.*?);/, "const $1 = require($2);"),
      "templates/inv_2024.mjs": "export default () => ({ content: [] });",
    });
    expect(await runNode(folder, ...args)).toBe(
      "The emulator renders with pdfmake, which is not installed: npm install pdfmake\n",
    );
  });

  it("gets one class by import and by require, from every door", async () => {
    const folder = makeProject("one-class", {
      "main.mjs": `
        import { createRequire } from "node:module";
        const require = createRequire(import.meta.url);
        for (const door of ["template-pdf", "template-pdf/emulator"]) {
          const [imported, required] = [await import(door), require(door)];
          for (const name of Object.keys(imported)) {
            if (imported[name] !== required[name]) console.log(door, name, "differs");
          }
        }
      `,
    });
    expect(await runNode(folder, "main.mjs")).toBe("");
  });
});
