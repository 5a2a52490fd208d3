import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, SaveError, type SaveOptions } from "template-pdf";
import { describe, expect, it } from "vitest";
import { generate, temporaryFolder } from "../client/every-form.ts";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";

const pdf = pdfOf(2_000);

describe("saveTo() with { recursive: true }", () => {
  it("creates the missing folders of the path", async () => {
    const path = join(temporaryFolder(), "out", "2026", "invoice.pdf");
    const service = await Service.start(withLength(pdf));
    await generate(service.client()).saveTo(path, { recursive: true });
    expect((await readFile(path)).equals(pdf)).toBe(true);
    await (await generate(service.client())).saveTo(path, { recursive: true });
    expect((await readFile(path)).equals(pdf)).toBe(true);
  });

  it("rejects before the request is sent if a part of the path is a file", async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "out"), "content");
    const service = await Service.start(withLength(pdf));
    const pending = generate(service.client()).saveTo(join(folder, "out", "a", "b.pdf"), { recursive: true });
    const error = await rejectionOf(pending);
    expect(error).toBeInstanceOf(SaveError);
    expect((error as Error).message).toMatch(/a part of its path is a file, not a folder\.$/);
    expect(service.requests).toEqual([]);
  });
});

it("saveTo() does not create folders with { recursive: false }", async () => {
  const folder = join(temporaryFolder(), "out");
  const service = await Service.start(withLength(pdf));
  for (const options of [undefined, {}, { recursive: false }]) {
    const error = await rejectionOf(generate(service.client()).saveTo(join(folder, "a.pdf"), options));
    expect(error).toBeInstanceOf(SaveError);
    const hint = options?.recursive === undefined ? ", or pass { recursive: true }." : "create it first.";
    expect((error as Error).message.endsWith(hint)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  }
});

it.each<[unknown, string]>([
  [{ recursiv: true }, "Unknown saveTo() option `recursiv`. Known options: recursive."],
  [{ recursive: "yes" }, "Expected `recursive` to be a boolean"],
  [null, "Expected the saveTo() options to be an object, got null."],
  ["utf8", "Expected the saveTo() options to be an object, got a string."],
])("saveTo() rejects the options %j", async (options, message) => {
  const service = await Service.start(withLength(pdf));
  const path = join(temporaryFolder(), "a.pdf");
  const error = await rejectionOf(generate(service.client()).saveTo(path, options as SaveOptions));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toContain(message);
});
