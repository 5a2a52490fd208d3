import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consumer, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

/** Prints the transport, the length of a document, and whether undici's index has set its global dispatcher. */
const generate = `
  const client = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "key" });
  const bytes = await client.generate("inv_2024", { total: "1" }).bytes();
  const loadedIndex = globalThis[Symbol.for("undici.globalDispatcher.1")] !== undefined;
  console.log(JSON.stringify({ transport: client.transport, bytes: bytes.length, loadedIndex }));
  await client.close();
`;
const modules = {
  "main.mjs": `import { TemplatePdf } from "template-pdf";${generate}`,
  "main.cjs": `const { TemplatePdf } = require("template-pdf");(async () => {${generate}})();`,
};

describe.each([
  ["as it is, loads one of its inner files and not its index", false],
  ["that hides its inner files, loads its index", true],
])("an undici %s", (_title, hidesInnerFiles) => {
  let project: string;
  let service: Awaited<ReturnType<typeof startPdfService>>;

  beforeAll(async () => {
    service = await startPdfService();
    project = await mkdtemp(join(tmpdir(), "template-pdf-undici-"));
    cpSync(join(consumer, "node_modules"), join(project, "node_modules"), { recursive: true });
    for (const [name, code] of Object.entries(modules)) writeFileSync(join(project, name), code);
    if (!hidesInnerFiles) return;
    const manifest = join(project, "node_modules/undici/package.json");
    const undici = JSON.parse(readFileSync(manifest, "utf8"));
    writeFileSync(manifest, JSON.stringify({ ...undici, exports: { ".": "./index.js" } }));
  });

  afterAll(async () => {
    await service.close();
    await rm(project, { recursive: true, force: true });
  });

  it.each([
    ["from an ES module", ["main.mjs"]],
    ["from CommonJS", ["--no-experimental-require-module", "main.cjs"]],
  ])("%s", async (_format, args) => {
    const result = JSON.parse(await runNode(project, ...args, service.baseUrl));
    expect(result).toEqual({ transport: "undici", bytes: pdf.length, loadedIndex: hidesInnerFiles });
  });
});
