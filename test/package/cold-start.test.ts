import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { filesOfBareUndici, filesOfPackages, heavy } from "./loaded.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

// What a fresh process loads: each file and each module of Node costs it time. Counted, not timed.

const service = await startPdfService();
afterAll(() => service.close());

/** Prints which files are loaded by the import, by a client, and then by the first document. */
const countingFiles = `
  import { Session } from "node:inspector";
  const session = new Session();
  session.connect();
  const files = [];
  session.on("Debugger.scriptParsed", ({ params: { url } }) => files.push(url));
  session.post("Debugger.enable");
  const loadedNow = () => files.splice(0);
  loadedNow();
  const { TemplatePdf } = await import("template-pdf");
  const atImport = loadedNow();
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  const atConstruction = loadedNow();
  const { length } = await client.generate("inv_2024", { total: "1" }).bytes();
  console.log(JSON.stringify({ atImport, atConstruction, atDocument: loadedNow(), length }));
  await client.close();
`;

/** Prints which modules of Node the import loads; in a process of its own, because the inspector loads some, too. */
const countingBuiltins = `
  const known = [...process.moduleLoadList];
  const { TemplatePdf } = await import("template-pdf");
  const builtins = process.moduleLoadList.filter((name) => !known.includes(name));
  console.log(JSON.stringify({ builtins, name: TemplatePdf.name }));
`;

const project = makeProject("cold-start", { "files.mjs": countingFiles, "builtins.mjs": countingBuiltins });
const found: { atImport: string[]; atConstruction: string[]; atDocument: string[]; length: number } =
  JSON.parse(await runNode(project, "files.mjs", service.baseUrl));
const loaded: { builtins: string[]; name: string } = JSON.parse(await runNode(project, "builtins.mjs"));
const filesOfUndici = await filesOfBareUndici("cold-start", service.baseUrl);

describe("a fresh process", () => {
  it("loads three files for the import", () => {
    expect(filesOfPackages(found.atImport).sort()).toEqual([
      "template-pdf/dist/base.js",
      "template-pdf/dist/index.js",
      "template-pdf/dist/platform/node.js",
    ]);
    const guide = new URL("../../docs/guides/performance.md", import.meta.url);
    expect(readFileSync(guide, "utf8")).toContain('`import "template-pdf"` loads three files and no undici');
  });

  it("loads nothing of Node's network, streams or files for the import", () => {
    expect(loaded.name).toBe("TemplatePdf");
    expect(loaded.builtins.filter((name) => heavy.test(name))).toEqual([]);
  });

  it("loads nothing more for a client", () => {
    expect(filesOfPackages(found.atConstruction)).toEqual([]);
  });

  it("loads nothing but what undici needs for its first document", () => {
    const files = filesOfPackages(found.atDocument);
    expect(found.length).toBe(pdf.length);
    expect(files).toContain("undici/lib/dispatcher/agent.js");
    expect(files.filter((file) => !filesOfUndici.includes(file))).toEqual([]);
  });
});
