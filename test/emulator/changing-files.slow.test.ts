import { mkdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generate, shareEmulator, textOf, writeFiles } from "./emulated.ts";

const says = (text: string) => `export default () => ({ content: ${JSON.stringify(text)} });`;
const shows = (specifier: string) =>
  `import shown from ${JSON.stringify(specifier)};\nexport default () => ({ content: shown });`;
const module = 'export default "first";';

const shared = shareEmulator({
  "changed.mjs": says("first"),
  "changed-json.json": '{"content":"first {{name}}"}',
  "renamed.mjs": says("first"),
  "removed.mjs": says("first"),
  "changed-extension.mjs": says("first"),
  "imports-odd-folder.mjs": shows("../lib (1)/shown.mjs"),
  "../lib (1)/shown.mjs": module,
  "imports-json.mjs": shows("./lib/middle.mjs"),
  "lib/middle.mjs": 'import data from "./data.json" with { type: "json" };\nexport default data.text;',
  "lib/data.json": '{"text":"first "}',
  "imports-cjs.mjs": shows("./lib/middle.cjs"),
  "lib/middle.cjs": 'module.exports = require("./inner.cjs");',
  "lib/inner.cjs": 'module.exports = "first";',
  "broken.mjs": shows("./lib/shown.mjs"),
  "lib/shown.mjs": module,
  "broken-json.json": '{"content":"first"}',
});
const inFolder = (...path: string[]) => join(shared.folder, "templates", ...path);
const write = (files: Record<string, string>) => writeFiles(inFolder(), files);

describe("a template file", () => {
  it.each([
    ["changed", { "changed.mjs": says("other") }],
    ["changed-json", { "changed-json.json": '{"content":"other {{name}}"}' }],
    ["imports-odd-folder", { "../lib (1)/shown.mjs": 'export default "other";' }],
    ["changed-extension", { "changed-extension.json": '{"content":"other"}' }],
    // JSON and CommonJS files that imported modules import.
    ["imports-json", { "lib/data.json": '{"text":"other "}' }],
    ["imports-cjs", { "lib/inner.cjs": 'module.exports = "other";' }],
  ])("is reloaded if the file or an imported module changes: template `%s`", async (uid, files: object) => {
    expect(await textOf(shared, uid, { name: "Zoë" })).toContain("first");
    if (uid === "changed-extension") await rm(inFolder(`${uid}.mjs`));
    await write({ ...files });
    expect(await textOf(shared, uid, { name: "Zoë" })).toContain("other");
  });

  it("is reloaded even if an editor replaces it with a file that has the same dates", async () => {
    const dates = new Date("2026-11-20T12:00:00Z");
    await utimes(inFolder("renamed.mjs"), dates, dates);
    expect(await textOf(shared, "renamed")).toContain("first");
    await write({ draft: says("other") });
    await utimes(inFolder("draft"), dates, dates);
    await rename(inFolder("draft"), inFolder("renamed.mjs"));
    expect(await textOf(shared, "renamed")).toContain("other");
  });

  it("is available as soon as it is added, and is unavailable as soon as it is removed", async () => {
    expect(await textOf(shared, "added")).toBe(404);
    await write({ "added.json": '{"content":"added"}' });
    expect(await textOf(shared, "added")).toContain("added");
    for (const file of ["added.json", "removed.mjs"]) await rm(inFolder(file));
    expect({ added: await textOf(shared, "added"), removed: await textOf(shared, "removed") }).toEqual({
      added: 404,
      removed: 404,
    });
  });
});

describe("an invalid change in the template folder", () => {
  const reasonOf = async (uid: string) => {
    expect(await textOf(shared, uid)).toBe(500);
    return String(shared.errors.at(-1));
  };

  it("causes an error that locates the mistake, and does not affect other templates", async () => {
    await write({ "lib/shown.mjs": "export const a = 1;\nexport default ;" });
    expect(await reasonOf("broken")).toContain(`${join("lib", "shown.mjs")}:2:16: Unexpected token ';'`);
    expect(await textOf(shared, "broken-json")).toContain("first");

    await write({ "lib/shown.mjs": "export const a = 1;" });
    expect(await reasonOf("broken")).toMatch(/broken\.mjs:1: .*does not provide an export named 'default'/);

    await rm(inFolder("lib/shown.mjs"));
    expect(await reasonOf("broken")).toContain("Cannot find module");

    await write({ "lib/shown.mjs": 'export default "fixed";' });
    expect(await textOf(shared, "broken")).toContain("fixed");
  });

  it("causes an error if a second file for a uid is added", async () => {
    await write({ "changed.json": '{"content":"letter"}' });
    expect(await reasonOf("changed")).toContain("changed.json and changed.mjs. Rename or remove one");
    expect((await generate(shared, "changed-json", { name: "Zoë" })).status).toBe(200);
  });
});

it("a removed template folder causes errors until it exists again", async () => {
  await rename(inFolder(), `${inFolder()}-away`);
  expect(await textOf(shared, "renamed")).toBe(500);
  expect(String(shared.errors.at(-1))).toContain(`${inFolder()} does not exist`);
  await mkdir(inFolder());
  const response = await generate(shared, "renamed");
  expect(await response.text()).toContain("This emulator has these templates: none.");
  await write({ "renamed.json": '{"content":"back"}' });
  expect(await textOf(shared, "renamed")).toContain("back");
});
