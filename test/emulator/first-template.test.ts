import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFirstTemplate } from "../../src/emulator/first-template.ts";
import { readPdf } from "../support/pdf-text.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { emulate, generate, templateFolder } from "./emulated.ts";

describe("the first template", () => {
  it("is an invoice whose sample matches its schema and fills one page", async () => {
    const emulator = await emulate({});
    await createFirstTemplate(emulator.folder);
    const { sample } = JSON.parse(await readFile(join(emulator.folder, "invoice.json"), "utf8"));
    const response = await generate(emulator, "invoice", sample);
    const { pages, text } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(pages).toBe(1);
    expect(text).toMatch(/Invoice 2026-0117[\s\S]*20 Nov 2026[\s\S]*£640\.00[\s\S]*Total £1,015\.50/);
    expect((await generate(emulator, "invoice", { ...sample, total: "much" })).status).toBe(422);
  });

  it("is created with its folder", async () => {
    const folder = join(temporaryFolder(), "not", "there");
    expect(await createFirstTemplate(folder)).toEqual({ path: join(folder, "invoice.json") });
    expect(await readdir(folder)).toEqual(["invoice.json"]);
  });

  it.each(["invoice.json", "invoice.mjs"])("does not replace or hide an existing %s", async (file) => {
    const folder = await templateFolder({ [file]: "mine" });
    expect((await createFirstTemplate(folder)).existing).toBe(file);
    expect(await readdir(folder)).toEqual([file]);
    expect(await readFile(join(folder, file), "utf8")).toBe("mine");
  });

  it("does not write through a link", async () => {
    const folder = temporaryFolder();
    const target = join(folder, "elsewhere.txt");
    await symlink(target, join(folder, "invoice.json"));
    expect((await createFirstTemplate(folder)).existing).toBe("invoice.json");
    expect(await readdir(folder)).toEqual(["invoice.json"]);
  });

  it("is not created in a file", async () => {
    const folder = join(temporaryFolder(), "file");
    await writeFile(folder, "");
    await expect(createFirstTemplate(folder)).rejects.toThrow();
  });
});
