import { mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { emulate, generate, textOf } from "./emulated.ts";
import { templateFolder, writeFiles } from "./template-folder.ts";

const says = (text: string) => `export default () => ({ content: ${JSON.stringify(text)} });`;
const shows = (specifier: string) =>
  `import shown from ${JSON.stringify(specifier)};\nexport default () => ({ content: shown });`;

describe("a template file is served as it is now, when it", () => {
  it("changes", async () => {
    const folder = await templateFolder({ "letter.mjs": says("first") });
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "letter")).toContain("first");
    for (const text of ["other", "third"]) {
      await writeFiles(folder, { "letter.mjs": says(text) });
      expect(await textOf(emulator, "letter")).toContain(text);
    }
  });

  it("changes, and is JSON", async () => {
    const folder = await templateFolder({ "letter.json": '{"content":"first {{name}}"}' });
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "letter", { name: "Zoë" })).toContain("first Zoë");
    await writeFiles(folder, { "letter.json": '{"content":"other {{name}}"}' });
    expect(await textOf(emulator, "letter", { name: "Zoë" })).toContain("other Zoë");
  });

  it("is put in its place by a rename, as editors save, with the dates of the old one", async () => {
    const folder = await templateFolder({ "letter.mjs": says("first") });
    const dates = new Date("2026-11-20T12:00:00Z");
    await utimes(join(folder, "letter.mjs"), dates, dates);
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "letter")).toContain("first");
    await writeFiles(folder, { draft: says("other") });
    await utimes(join(folder, "draft"), dates, dates);
    await rename(join(folder, "draft"), join(folder, "letter.mjs"));
    expect(await textOf(emulator, "letter")).toContain("other");
  });

  it("is added, or is removed", async () => {
    const folder = await templateFolder({ "letter.mjs": says("letter") });
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "receipt")).toBe(404);
    await writeFiles(folder, { "receipt.json": '{"content":"receipt"}' });
    expect(await textOf(emulator, "receipt")).toContain("receipt");
    await rm(join(folder, "receipt.json"));
    expect(await textOf(emulator, "receipt")).toBe(404);
    await rm(join(folder, "letter.mjs"));
    const refusal = await generate(emulator, "letter");
    expect(refusal.status).toBe(404);
    expect(await refusal.text()).toContain("This emulator has these templates: none.");
  });

  it("is removed and comes back as another kind", async () => {
    const folder = await templateFolder({ "letter.mjs": says("module") });
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "letter")).toContain("module");
    await rm(join(folder, "letter.mjs"));
    await writeFiles(folder, { "letter.json": '{"content":"definition"}' });
    expect(await textOf(emulator, "letter")).toContain("definition");
  });
});

describe("what a template imports is served as it is now, when it", () => {
  it.each([
    ["is a module of a sub-folder", "./lib/shown.mjs", 'export default "first";', 'export default "other";'],
    ["is a module beside the folder", "../shown.mjs", 'export default "first";', 'export default "other";'],
    [
      "lies in a folder with odd characters",
      "./lib (1)/shown.mjs",
      'export default "first";',
      'export default "other";',
    ],
    ["is CommonJS", "./lib/shown.cjs", 'module.exports = "first";', 'module.exports = "other";'],
  ])("%s", async (_case, specifier, first, other) => {
    const parent = await templateFolder({ "templates/letter.mjs": shows(specifier) });
    const folder = join(parent, "templates");
    await writeFiles(folder, { [specifier]: first });
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "letter")).toContain("first");
    await writeFiles(folder, { [specifier]: other });
    expect(await textOf(emulator, "letter")).toContain("other");
  });

  it("is imported by an import, is JSON, or is required by what is CommonJS", async () => {
    const folder = await templateFolder({
      "letter.mjs": shows("./lib/middle.mjs"),
      "lib/middle.mjs":
        'import { createRequire } from "node:module";\nimport inner from "./inner.mjs";\n' +
        'const require = createRequire(import.meta.url);\nexport default inner + require("./middle.cjs");',
      "lib/inner.mjs": 'import data from "./data.json" with { type: "json" };\nexport default data.text;',
      "lib/data.json": '{"text":"json-1 "}',
      "lib/middle.cjs": 'module.exports = require("./inner.cjs");',
      "lib/inner.cjs": 'module.exports = "required-1";',
    });
    const emulator = await emulate(folder);
    expect(await textOf(emulator, "letter")).toContain("json-1 required-1");
    await writeFiles(folder, { "lib/data.json": '{"text":"json-2 "}' });
    expect(await textOf(emulator, "letter")).toContain("json-2 required-1");
    await writeFiles(folder, { "lib/inner.cjs": 'module.exports = "required-2";' });
    expect(await textOf(emulator, "letter")).toContain("json-2 required-2");
  });
});

describe("a template file that is broken while it is edited", () => {
  it("is told with its place, harms no other, and is served again once it is mended", async () => {
    const folder = await templateFolder({
      "letter.mjs": shows("./lib/shown.mjs"),
      "lib/shown.mjs": 'export default "first";',
      "other.json": '{"content":"other"}',
    });
    const onError = vi.fn();
    const emulator = await emulate(folder, { onError });
    const said = () => String(onError.mock.lastCall?.[0]);

    await writeFiles(folder, { "lib/shown.mjs": "export const a = 1;\nexport default ;" });
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(said()).toContain(`${join("lib", "shown.mjs")}:2:16: Unexpected token ';'`);
    expect(await textOf(emulator, "other")).toContain("other");

    await writeFiles(folder, { "lib/shown.mjs": "export const a = 1;" });
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(said()).toMatch(/letter\.mjs:1: .*does not provide an export named 'default'/);

    await rm(join(folder, "lib", "shown.mjs"));
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(said()).toContain("Cannot find module");

    await writeFiles(folder, { "lib/shown.mjs": 'export default "mended";' });
    expect(await textOf(emulator, "letter")).toContain("mended");

    await writeFiles(folder, { "other.json": '{\n  "content": [ }\n' });
    expect(await textOf(emulator, "other")).toBe(500);
    expect(said()).toContain(`${sep}other.json:2:16: a value should stand here`);
    await writeFiles(folder, { "other.json": '{"content":"mended"}' });
    expect(await textOf(emulator, "other")).toContain("mended");
  });

  it("imports what is not there yet, and is served once it is", async () => {
    const folder = await templateFolder({ "letter.mjs": says("first") });
    const emulator = await emulate(folder, { onError() {} });
    expect(await textOf(emulator, "letter")).toContain("first");
    await writeFiles(folder, { "letter.mjs": shows("./lib/none.mjs") });
    expect(await textOf(emulator, "letter")).toBe(500);
    await writeFiles(folder, { "lib/none.mjs": 'export default "there";' });
    expect(await textOf(emulator, "letter")).toContain("there");
  });

  it("has got a second file for its uid", async () => {
    const folder = await templateFolder({ "letter.mjs": says("letter") });
    const onError = vi.fn();
    const emulator = await emulate(folder, { onError });
    await writeFiles(folder, { "letter.json": '{"content":"letter"}' });
    await writeFiles(folder, { "other.json": '{"content":"other"}' });
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(String(onError.mock.lastCall?.[0])).toContain("letter.json and letter.mjs. Rename or remove one");
    expect(await textOf(emulator, "other")).toContain("other");
  });

  it("has lost its folder", async () => {
    const folder = await templateFolder({ "letter.mjs": says("letter") });
    const onError = vi.fn();
    const emulator = await emulate(folder, { onError });
    await rm(folder, { recursive: true });
    expect(await textOf(emulator, "letter")).toBe(500);
    expect(String(onError.mock.lastCall?.[0])).toContain(`${folder} does not exist`);
    await mkdir(folder);
    await writeFile(join(folder, "letter.mjs"), says("back"));
    expect(await textOf(emulator, "letter")).toContain("back");
  });
});
