import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readPdf } from "../support/pdf-text.ts";
import { runNode } from "./consumer.ts";

it("the demo saves an invoice, and says where, how many pages and how large", async () => {
  const repository = fileURLToPath(new URL("../..", import.meta.url));
  const printed = await runNode(repository, "examples/demo.mjs");
  const [path = "", size = ""] = printed.trim().split("\n");
  const bytes = readFileSync(path);
  const { pages, text } = await readPdf(bytes);
  expect(path).toMatch(/demo.invoice\.pdf$/);
  expect(size).toBe(`${pages} pages, ${(bytes.length / 1000).toFixed(1)} kB`);
  expect(pages).toBe(2);
  for (const part of ["£", "é", "Ü", "Ł", "Αθηνά"]) expect(text).toContain(part);
});
