import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FakePdfOptions, fakePdf } from "template-pdf/testing";
import { expect, it } from "vitest";
import { outputOf } from "../support/programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it.each<[string, FakePdfOptions]>([
  [
    "with text in many scripts",
    { text: "£1,000,000 – “net” Ελληνικά 日本語 🙂 שלום e\u0301 \ud800 \u0007\ttab" },
  ],
  ["with more text than fits on one page", { text: Array.from({ length: 500 }, String).join("\n") }],
  ["of 1,000 pages", { pages: 1_000, text: "long ".repeat(20_000) }],
  ["of 5,000,001 bytes", { bytes: 5_000_001 }],
])("qpdf finds no errors in a fake PDF %s", async (_, options) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "fake.pdf"), fakePdf(options));
  const printed = await outputOf("qpdf", ["--check", "fake.pdf"], { cwd });
  expect(printed).toContain("No syntax or stream encoding errors found");
});
