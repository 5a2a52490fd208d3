import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type FakePdfOptions, fakePdf } from "template-pdf/testing";
import { expect, it } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";

/** The program of Debian's package qpdf, which `.ci/run` installs. */
const qpdf = (args: readonly string[]) => promisify(execFile)("qpdf", args);

it.each<[string, FakePdfOptions]>([
  ["without anything on it", {}],
  ["with Latin text", { text: "Invoice 2026-0117\ntotal: £1,000,000 – “net”" }],
  ["with text of every kind", { text: "Ελληνικά 日本語 🙂 שלום עולם e\u0301 \ud800 \u0007\ttab" }],
  ["with more text than a page has room for", { text: Array.from({ length: 500 }, String).join("\n") }],
  ["with a line of 100,000 characters", { text: "long ".repeat(20_000) }],
  ["of 1,000 pages", { pages: 1_000, text: "first" }],
  ["of 5,000,001 bytes", { bytes: 5_000_001 }],
])("qpdf finds no fault in a fake %s", async (_, options) => {
  const file = join(temporaryFolder(), "fake.pdf");
  writeFileSync(file, fakePdf(options));
  const { stdout, stderr } = await qpdf(["--check", file]);
  expect([stdout, stderr]).toEqual([
    expect.stringContaining("No syntax or stream encoding errors found"),
    "",
  ]);
});
