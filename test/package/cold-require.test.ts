import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
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

const filesOf = (loaded: readonly string[]) =>
  loaded
    .filter((name) => name.includes("/node_modules/"))
    .map((name) => name.replace(/^.*\/node_modules\//, ""));

describe("a fresh process of CommonJS", () => {
  let found: { atRequire: string[]; atDocument: string[]; length: number };

  beforeAll(async () => {
    const project = makeProject("cold-require", { "counting.cjs": counting });
    const args = ["--no-experimental-require-module", "counting.cjs", service.baseUrl];
    found = JSON.parse(await runNode(project, ...args));
  });

  it("loads three files for require()", () => {
    expect(filesOf(found.atRequire).sort()).toEqual([
      "template-pdf/dist/base.cjs",
      "template-pdf/dist/index.cjs",
      "template-pdf/dist/platform/node.cjs",
    ]);
  });

  it("loads nothing of Node's network, streams or files for require()", () => {
    const heavy =
      /NativeModule (?:_?http|http2|_?tls|net|_?stream|internal\/streams|zlib|crypto|fs\/promises$|internal\/fs\/promises|readline|worker)/;
    expect(found.atRequire.filter((name) => heavy.test(name))).toEqual([]);
  });

  it("loads at most 24 files for its first document, all of them undici's", () => {
    const files = filesOf(found.atDocument);
    expect(found.length).toBe(pdf.length);
    expect(files.filter((file) => !/^undici\/lib\/(?!web\/|api\/)/.test(file))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(24);
  });
});
