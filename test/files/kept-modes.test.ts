import { chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { generate, temporaryFolder } from "../client/every-form.ts";
import { pdfOf, Service, withLength } from "../client/service.ts";
import { hasModes } from "../support/platform.ts";

const pdf = pdfOf(2_000);

it.runIf(hasModes)("the set-id bits of an existing file are kept, as all of its mode is", async () => {
  const path = join(temporaryFolder(), "invoice.pdf");
  await writeFile(path, "before");
  await chmod(path, 0o6750);
  const service = await Service.start(withLength(pdf));
  await generate(service.client()).saveTo(path);
  expect(((await stat(path)).mode & 0o7777).toString(8)).toBe("6750");
});

it("a relative path is that of the moment it was given", async () => {
  const before = process.cwd();
  const [first, second] = [temporaryFolder(), temporaryFolder()];
  // A worker thread, in which some runners run tests, has no folder of its own to change.
  const cwd = process.cwd;
  try {
    process.cwd = () => first;
    const service = await Service.start(withLength(pdf));
    const saving = generate(service.client()).saveTo("invoice.pdf");
    process.cwd = () => second;
    expect(await saving).toEqual({ path: "invoice.pdf", bytes: pdf.length });
    expect((await stat(join(first, "invoice.pdf"))).size).toBe(pdf.length);
  } finally {
    process.cwd = cwd;
  }
  expect(process.cwd()).toBe(before);
});
