import { afterAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

// Each file and each Node module that a fresh process loads takes time. The test counts them instead of measuring the time.

const service = await startPdfService();
afterAll(() => service.close());

/** Node's modules for its network, streams and files, in `process.moduleLoadList`. */
const heavy =
  /NativeModule (?:_?http|http2|_?tls|net|_?stream|internal\/streams|zlib|crypto|fs\/promises$|internal\/fs\/promises|readline|worker)/;

/** A prelude with `loadedNow`, which returns the files loaded since its last call. */
const inspecting = `
  import { Session } from "node:inspector";
  const session = new Session();
  session.connect();
  const files = [];
  session.on("Debugger.scriptParsed", ({ params: { url } }) => files.push(url));
  session.post("Debugger.enable");
  const loadedNow = () => files.splice(0);
  loadedNow();
`;
const generating = `
  const atLoad = loadedNow();
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  const atClient = loadedNow();
  client.generate("inv_2024", { total: "1" }).bytes().then(({ length }) => {
    console.log(JSON.stringify({ atLoad, atClient, atDocument: loadedNow(), length }));
    return client.close();
  });
`;
const files = {
  "import.mjs": `${inspecting} const { TemplatePdf } = await import("template-pdf"); ${generating}`,
  // The inspector loads modules of Node itself.
  "builtins.mjs": `
    const known = [...process.moduleLoadList];
    const { TemplatePdf } = await import("template-pdf");
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => !known.includes(name))));
  `,
  // The files of undici that the client loads, without the client.
  "undici.cjs": `
    const Agent = require("undici/lib/dispatcher/agent.js");
    require("undici/lib/core/connect.js");
    const agent = new Agent();
    const nothing = () => {};
    const handler = {
      onRequestStart: nothing,
      onResponseStart: nothing,
      onResponseData: nothing,
      onResponseEnd() {
        console.log(JSON.stringify(Object.keys(require.cache).map((name) => name.replaceAll("\\\\", "/"))));
        agent.close();
      },
    };
    agent.dispatch({ origin: process.argv[2], path: "/", method: "POST", body: "{}" }, handler);
  `,
};
const project = makeProject("cold-start", files);
const run = async (...args: string[]) => JSON.parse(await runNode(project, ...args, service.baseUrl));

/** Selects the files of packages from paths or URLs, as paths in node_modules. */
const filesOfPackages = (loaded: readonly string[]) =>
  loaded.flatMap((name) => /\/node_modules\/(?!.*\/node_modules\/)(.*)/.exec(name)?.[1] ?? []);

describe("a fresh process that imports the package", async () => {
  const loaded: { atLoad: string[]; atClient: string[]; atDocument: string[]; length: number } =
    await run("import.mjs");

  it("loads only four of the package's files before the first call", () => {
    const names = ["base", "errors/errors", "index", "platform/node"].map(
      (name) => `template-pdf/dist/${name}.js`,
    );
    expect(filesOfPackages(loaded.atLoad).sort()).toEqual(names);
    expect(filesOfPackages(loaded.atClient)).toEqual([]);
  });

  it("does not load Node's modules for networking, streams or files", async () => {
    const modules: string[] = await run("builtins.mjs");
    expect(modules.filter((name) => heavy.test(name))).toEqual([]);
  });

  it("loads only undici's files when it generates its first document", async () => {
    expect(loaded.length).toBe(pdf.length);
    const needed = filesOfPackages(await run("undici.cjs"));
    const atDocument = filesOfPackages(loaded.atDocument);
    expect(atDocument).toContain("undici/lib/dispatcher/agent.js");
    expect(atDocument.filter((file) => !needed.includes(file))).toEqual([]);
  });
});
