import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { guides } from "../../docs/site/chapters.mjs";
import { writeLlmsFiles } from "../../docs/site/llms.mjs";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const site = "https://template-pdf.github.io/template-pdf/";

describe("the documentation for language models", () => {
  const { path: folder } = makeTemporaryFolder("llms");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const url = "modules/template-pdf_bulk.html";
  writeLlmsFiles(folder, [{ name: "template-pdf/bulk", url, sentence: "Generates many documents." }]);

  it("has a title, a summary and sections of links in llms.txt, as llmstxt.org defines", () => {
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
    expect(lines).toContain(`- [template-pdf/bulk](${site}${url}): Generates many documents.`);
  });

  it("has a copy of each guide, and the README and all guides in full in llms-full.txt", () => {
    const text = read("llms-full.txt");
    const names = readdirSync(join(repository, "docs/guides"));
    expect(readdirSync(join(folder, "guides"))).toEqual(names);
    for (const name of ["README.md", ...names.map((each) => `docs/guides/${each}`)]) {
      const [title = "", ...lines] = readFileSync(join(repository, name), "utf8").split("\n");
      expect(text).toContain(title);
      const missing = lines.filter((line) => !line.startsWith("<!-- ") && !text.includes(line));
      expect(missing, name).toEqual([]);
    }
  });
});
