import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guides } from "../../docs/site/chapters.mjs";
import { writeLlmsFiles } from "../../docs/site/llms.mjs";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { read as readPage, repository } from "./declarations.ts";

describe("the documentation for language models", () => {
  const { path: folder } = makeTemporaryFolder("llms");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  writeLlmsFiles(folder, [{ name: "template-pdf/bulk", url: "bulk.html", sentence: "Generates PDFs." }]);

  it("includes an llms.txt in the format of llmstxt.org", () => {
    const [title, summary, ...sections] = read("llms.txt").trimEnd().split("\n\n");
    expect(title).toBe("# template-pdf");
    expect(summary).toMatch(/^> \S/);
    const headings = sections.filter((_, index) => index % 2 === 0);
    expect(headings).toEqual(
      [...Object.keys(guides), "Reference", "Optional"].map((heading) => `## ${heading}`),
    );
    const lines = sections.filter((_, index) => index % 2 === 1).flatMap((list) => list.split("\n"));
    const isLink = /^- \[[^\]]+\]\(https:\/\/template-pdf\.github\.io\/template-pdf\/\S+\): [A-Z].*\.$/;
    expect(lines.filter((line) => !isLink.test(line))).toEqual([]);
    const bulk =
      "- [template-pdf/bulk](https://template-pdf.github.io/template-pdf/bulk.html): Generates PDFs.";
    expect(lines).toContain(bulk);
  });

  it("includes a copy of each guide, and the complete text in llms-full.txt", () => {
    const text = `\n${read("llms-full.txt")}`;
    const names = readdirSync(join(repository, "docs/guides"));
    expect(readdirSync(join(folder, "guides"))).toEqual(names);
    for (const name of ["README.md", ...names.map((each) => `docs/guides/${each}`)]) {
      const [title = "", ...lines] = readPage(name).split("\n");
      expect(text.split(`\n${title}\n`), name).toHaveLength(2);
      const missing = lines.filter((line) => !line.startsWith("<!-- ") && !text.includes(line));
      expect(missing, name).toEqual([]);
    }
  });
});
