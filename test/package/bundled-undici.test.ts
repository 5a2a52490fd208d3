import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { consumer, makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
const elsewhere = await mkdtemp(join(tmpdir(), "template-pdf-bundled-"));
afterAll(async () => {
  await service.close();
  await rm(elsewhere, { recursive: true, force: true });
});

/** An ES module has no `require`, and undici is CommonJS. */
const withRequire = 'import { createRequire } from "node:module"; const require = createRequire("/");';

const source = makeProject("bundled-undici", {
  "main.mjs": `
    import { TemplatePdf } from "template-pdf";
    const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
    const told = await client.generate("inv_2024", {}).bytes().then(({ length }) => length, String);
    console.log(told);
    await client.close();
  `,
  // Where the bundle runs, somebody else has brought an undici of another generation.
  "deployed/node_modules/undici/lib/dispatcher/agent.js": `
    module.exports = class Agent {
      get interceptors() { return []; }
      dispatch() { throw new Error("invalid onConnect method"); }
    };
  `,
  "deployed/node_modules/undici/lib/core/connect.js": "module.exports = () => () => {};",
});

describe("a bundle with undici inside", () => {
  it.each([
    ["knows that it stands elsewhere", {}],
    [
      "believes that it stands where the package was installed",
      // So do those of webpack.
      {
        "import.meta": JSON.stringify({
          url: pathToFileURL(join(source, "deployed/node_modules/template-pdf/dist/platform/node.js")).href,
        }),
      },
    ],
  ])("uses that one, where it %s", async (_title, define) => {
    expect(await runBundle({ define, banner: { js: withRequire } })).toBe(`${pdf.length}\n`);
  });

  it("that cannot be loaded from it says so, and what to do, at the first try", async () => {
    expect(await runBundle({})).toMatch(
      /^ConfigurationError: undici, .* could not be loaded \(Dynamic require of .* is not supported\)\. Nothing was sent\. .*--external:undici/,
    );
  });
});

/** Gives what the bundle of `main.mjs` prints. */
async function runBundle(options: BuildOptions): Promise<string> {
  await build({
    entryPoints: [join(source, "main.mjs")],
    absWorkingDir: consumer,
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(elsewhere, "main.mjs"),
    logLevel: "silent",
    ...options,
  });
  return runNode(elsewhere, "main.mjs", service.baseUrl);
}
