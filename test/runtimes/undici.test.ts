import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { consumer, makeProject, runNode } from "../package/consumer.ts";
import { pdf, startPdfService } from "../package/pdf-service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const service = await startPdfService();
const elsewhere = makeTemporaryFolder("undici");
afterAll(async () => {
  await service.close();
  elsewhere.remove();
});

/** Prints the length of a document, or the error, and whether undici's index has set its global dispatcher. */
const generate = `
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  const said = await client.generate("inv_2024", {}).bytes().then(({ length }) => length, String);
  console.log(said, globalThis[Symbol.for("undici.globalDispatcher.1")] === undefined ? "parts" : "index");
  await client.close();
`;
const files = {
  "main.mjs": `import { TemplatePdf } from "template-pdf";${generate}`,
  "main.cjs": `const { TemplatePdf } = require("template-pdf");(async () => {${generate}})();`,
};

/** A copy of the installed packages in which undici exports only its index. */
function makeProjectWithHiddenFiles(): string {
  const project = join(elsewhere.path, "hidden");
  cpSync(join(consumer, "node_modules"), join(project, "node_modules"), { recursive: true });
  for (const [name, code] of Object.entries(files)) writeFileSync(join(project, name), code);
  const manifest = join(project, "node_modules/undici/package.json");
  const undici = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, JSON.stringify({ ...undici, exports: { ".": "./index.js" } }));
  return project;
}

describe.each([
  ["individual undici modules", "parts", makeProject("undici", files)],
  ["undici's index because undici's other files are hidden", "index", makeProjectWithHiddenFiles()],
])("a client that loads %s", (_, loaded, project) => {
  it.each([[["main.mjs"]], [["--no-experimental-require-module", "main.cjs"]]])("works: %j", async (args) => {
    expect(await runNode(project, ...args, service.baseUrl)).toBe(`${pdf.length} ${loaded}\n`);
  });
});

describe("a bundle that includes undici", () => {
  const source = makeProject("bundled-undici", {
    ...files,
    // Where the bundle runs, another package has installed an undici of another major version.
    "deployed/node_modules/undici/lib/dispatcher/agent.js": `
      module.exports = class Agent {
        get interceptors() { return []; }
        dispatch() { throw new Error("invalid onConnect method"); }
      };
    `,
    "deployed/node_modules/undici/lib/core/connect.js": "module.exports = () => () => {};",
  });
  // undici is CommonJS, and an ES module has no `require`.
  const banner = {
    js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
  };

  async function runBundle(options: BuildOptions): Promise<string> {
    await build({
      entryPoints: [join(source, "main.mjs")],
      absWorkingDir: consumer,
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: join(elsewhere.path, "main.mjs"),
      logLevel: "silent",
      ...options,
    });
    return runNode(elsewhere.path, "main.mjs", service.baseUrl);
  }

  it("uses the bundled undici", async () => {
    expect(await runBundle({ banner })).toContain(`${pdf.length} `);
  });

  it("uses the bundled undici even if `import.meta.url` points to the installed package", async () => {
    const url = pathToFileURL(join(source, "deployed/node_modules/template-pdf/dist/platform/node.js")).href;
    const define = { "import.meta": JSON.stringify({ url }) };
    expect(await runBundle({ define, banner })).toContain(`${pdf.length} `);
  });

  it("throws an error with advice if the bundle cannot load undici", async () => {
    expect(await runBundle({})).toMatch(
      /^ConfigurationError: undici could not be loaded \(Dynamic require of .* is not supported\), and the request was not sent\. .*--external:undici/,
    );
  });
});
