import { describe, expect, it } from "vitest";
import { makeProject } from "../package/consumer.ts";
import { outputOf } from "../support/programs.ts";

/** Real Jest: its resolver does not backtrack (version 29), and it runs CommonJS without `import()`. */

const inNode = `/** @jest-environment node */
const { TemplatePdf, NotFoundError, TemplatePdfError } = require("template-pdf");
const { fakeService } = require("template-pdf/testing");

it("generates a document of the fake service", async () => {
  const service = fakeService({ templates: ["invoice"] });
  const pdfs = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
  expect((await pdfs.generate("invoice", { total: "1" }).bytes()).length).toBeGreaterThan(100);
  const error = await pdfs.generate("unknown", {}).bytes().catch((caught) => caught);
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toBeInstanceOf(TemplatePdfError);
});
`;

// Jest's jsdom has no `fetch`, `Request` or `Response`.
const inJsdom = `/** @jest-environment jsdom */
const { TemplatePdf } = require("template-pdf");
const { fakeService } = require("template-pdf/testing");
const { createHandler } = require("template-pdf/handler");
const { download, objectUrl } = require("template-pdf/browser");

it("loads the entry points, and the fake service names the right environment", async () => {
  for (const each of [TemplatePdf, fakeService, createHandler, download, objectUrl]) {
    expect(typeof each).toBe("function");
  }
  const service = fakeService();
  const pdfs = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
  await expect(pdfs.generate("invoice", {}).bytes()).rejects.toThrow(/@jest-environment node/);
});
`;

describe("Jest", { timeout: 300_000 }, () => {
  it.each(["29.7.0", "30.2.0"])(
    "%s runs tests that use the package, in Node's environment and in jsdom",
    async (version) => {
      const project = makeProject(`jest-${version}`, {
        "package.json": '{ "jest": {} }',
        "node.test.js": inNode,
        "jsdom.test.js": inJsdom,
      });
      const packages = ["jest", "jest-environment-jsdom"].map((name) => `${name}@${version}`);
      const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
      await outputOf("npm", ["install", ...quiet, ...packages], { cwd: project });
      const output = await outputOf("npx", ["jest", "--json"], { cwd: project });
      const { numPassedTests, numFailedTests } = JSON.parse(output.slice(output.indexOf("{")));
      expect({ numPassedTests, numFailedTests }).toEqual({ numPassedTests: 2, numFailedTests: 0 });
    },
  );
});
