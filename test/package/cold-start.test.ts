import { afterAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

// What a fresh process loads: each file and each module of Node costs it time. Counted, not timed.

const service = await startPdfService();
afterAll(() => service.close());

/** Prints what is loaded by the import, and then by the first document. */
const counting = `
  import { Session } from "node:inspector";
  const session = new Session();
  session.connect();
  let files = [];
  session.on("Debugger.scriptParsed", ({ params: { url } }) => files.push(url));
  session.post("Debugger.enable");
  let known = [];
  const loadedNow = () => {
    const builtins = process.moduleLoadList.filter((name) => !known.includes(name));
    const loaded = { files: files.filter((url) => url.includes("/node_modules/")), builtins };
    files = [];
    known = [...process.moduleLoadList];
    return loaded;
  };
  loadedNow();
  const { TemplatePdf } = await import("template-pdf");
  const atImport = loadedNow();
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  const atConstruction = loadedNow();
  const { length } = await client.generate("inv_2024", { total: "1" }).bytes();
  console.log(JSON.stringify({ atImport, atConstruction, atDocument: loadedNow(), length }));
  await client.close();
`;

interface Loaded {
  readonly files: readonly string[];
  readonly builtins: readonly string[];
}

const project = makeProject("cold-start", { "counting.mjs": counting });
const found: { [at in "atImport" | "atConstruction" | "atDocument"]: Loaded } & { length: number } =
  JSON.parse(await runNode(project, "counting.mjs", service.baseUrl));

const inside = (url: string) => url.replace(/^.*\/node_modules\//, "");

describe("a fresh process", () => {
  it("loads three files for the import", () => {
    expect(found.atImport.files.map(inside).sort()).toEqual([
      "template-pdf/dist/base.js",
      "template-pdf/dist/index.js",
      "template-pdf/dist/platform/node.js",
    ]);
  });

  it("loads nothing of Node's network, streams or files for the import", () => {
    const heavy =
      /NativeModule (?:_?http|http2|_?tls|net|_?stream|internal\/streams|zlib|crypto|fs\/promises$|internal\/fs\/promises|readline|worker)/;
    expect(found.atImport.builtins.filter((name) => heavy.test(name))).toEqual([]);
  });

  it("loads nothing more for a client", () => {
    expect(found.atConstruction.files).toEqual([]);
  });

  it("loads at most 30 files for its first document, all of them undici's", () => {
    const files = found.atDocument.files.map(inside);
    expect(found.length).toBe(pdf.length);
    expect(files.filter((file) => !/^undici\/lib\/(?!web\/|api\/)/.test(file))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(30);
  });
});
