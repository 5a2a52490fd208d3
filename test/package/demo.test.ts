import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readPdf } from "../support/pdf-text.ts";
import { runNode } from "./consumer.ts";

it("the demo makes an invoice and a certificate, and says where, how many pages and how large", async () => {
  const repository = fileURLToPath(new URL("../..", import.meta.url));
  const printed = await runNode(repository, "examples/demo.mjs");
  const documents = await Promise.all(
    printed
      .trim()
      .split("\n")
      .map(async (line) => {
        const [, path = "", size] = /^(.*): (.*)$/.exec(line) ?? [];
        const bytes = readFileSync(path);
        const { pages, text } = await readPdf(bytes);
        expect(size).toBe(`${pages} page${pages === 1 ? "" : "s"}, ${(bytes.length / 1000).toFixed(1)} kB`);
        return { name: /[\w.]+$/.exec(path)?.[0], pages, text };
      }),
  );
  expect(documents).toMatchObject([
    { name: "invoice.pdf", pages: 2 },
    { name: "certificate.pdf", pages: 1 },
  ]);
  for (const part of ["£", "é", "Ü", "Ł", "Αθηνά"]) expect(documents[0]?.text).toContain(part);
});
