import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readPdf } from "../support/pdf-text.ts";
import { runNode } from "./consumer.ts";

it("the demo generates an invoice and a certificate, and prints their paths", async () => {
  const printed = await runNode(fileURLToPath(new URL("../..", import.meta.url)), "examples/demo.mjs");
  const lines = [...printed.matchAll(/^(.*\/([\w.]+)): (.*)$/gm)];
  const texts: string[] = [];
  for (const [, path = "", , size] of lines) {
    const bytes = readFileSync(path);
    const { pages, text } = await readPdf(bytes);
    expect(size).toBe(`${pages} page${pages === 1 ? "" : "s"}, ${(bytes.length / 1000).toFixed(1)} kB`);
    texts.push(text);
  }
  expect(lines.map(([, , name]) => name)).toEqual(["invoice.pdf", "certificate.pdf"]);
  for (const part of ["£", "é", "Ü", "Ł", "Αθηνά"]) expect(texts[0]).toContain(part);
});
