import { afterAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { filesOfBareUndici, filesOfPackages, heavy } from "./loaded.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

// What cold-start.test.ts says of `import`, said of `require`. Counted, not timed.

const service = await startPdfService();
afterAll(() => service.close());

/** Prints what is loaded by `require`, and then by the first document. */
const counting = `
  let known = [];
  const loadedNow = () => {
    const all = [...Object.keys(require.cache), ...process.moduleLoadList];
    const loaded = all.filter((name) => !known.includes(name)).map((name) => name.replaceAll("\\\\", "/"));
    known = all;
    return loaded;
  };
  loadedNow();
  const { TemplatePdf } = require("template-pdf");
  const atRequire = loadedNow();
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  client.generate("inv_2024", { total: "1" }).bytes().then(({ length }) => {
    console.log(JSON.stringify({ atRequire, atDocument: loadedNow(), length }));
    return client.close();
  });
`;

const project = makeProject("cold-require", { "counting.cjs": counting });
const args = ["--no-experimental-require-module", "counting.cjs", service.baseUrl];
const found: { atRequire: string[]; atDocument: string[]; length: number } = JSON.parse(
  await runNode(project, ...args),
);
const filesOfUndici = await filesOfBareUndici("cold-require", service.baseUrl);

describe("a fresh process of CommonJS", () => {
  it("loads three files for require()", () => {
    expect(filesOfPackages(found.atRequire).sort()).toEqual([
      "template-pdf/dist/base.cjs",
      "template-pdf/dist/index.cjs",
      "template-pdf/dist/platform/node.cjs",
    ]);
  });

  it("loads nothing of Node's network, streams or files for require()", () => {
    expect(found.atRequire.filter((name) => heavy.test(name))).toEqual([]);
  });

  it("loads nothing but what undici needs for its first document", () => {
    const files = filesOfPackages(found.atDocument);
    expect(found.length).toBe(pdf.length);
    expect(files).toContain("undici/lib/dispatcher/agent.js");
    expect(files.filter((file) => !filesOfUndici.includes(file))).toEqual([]);
  });
});
