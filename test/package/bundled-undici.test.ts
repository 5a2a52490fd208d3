import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { consumer, makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
const elsewhere = await mkdtemp(join(tmpdir(), "template-pdf-bundled-"));
afterAll(async () => {
  await service.close();
  await rm(elsewhere, { recursive: true, force: true });
});

const source = makeProject("bundled-undici", {
  "main.mjs": `
    import { TemplatePdf } from "template-pdf";
    const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key", retry: false });
    console.log((await client.generate("inv_2024", {}).bytes()).length);
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
    await build({
      entryPoints: [join(source, "main.mjs")],
      absWorkingDir: consumer,
      bundle: true,
      platform: "node",
      format: "esm",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("/");' },
      outfile: join(elsewhere, "main.mjs"),
      define,
      logLevel: "silent",
    });
    expect(await runNode(elsewhere, "main.mjs", service.baseUrl)).toBe(`${pdf.length}\n`);
  });
});
