import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { read, repository } from "./declarations.ts";

const files = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
const pages = execFileSync("git", files, { cwd: repository, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(repository, path)));

/** The prefix of links to files that do not ship with the package. */
const inRepository = /https:\/\/github\.com\/template-pdf\/template-pdf\/(?:blob|tree)\/main(?=\/)/g;

describe("the documentation", () => {
  const anchors = new Map(pages.map((path) => [path, anchorsIn(read(path))]));
  const links = pages.flatMap((page) =>
    linksIn(read(page).replace(inRepository, "")).map((link) => ({ page, link })),
  );

  it("links only to files and headings that exist in the repository", () => {
    expect(links.some(({ link }) => link.includes("#"))).toBe(true);
    const dead = links.filter(({ page, link }) => {
      const [path = "", anchor] = decodeURI(link).split("#");
      const folder = path.startsWith("/") ? repository : join(repository, dirname(page));
      const to = path === "" ? join(repository, page) : join(folder, path);
      const target = relative(repository, to).replaceAll("\\", "/");
      if (target.startsWith("..") || !existsSync(to)) return true;
      if (anchor === undefined || !target.endsWith(".md")) return false;
      return statSync(to).isDirectory() || !anchors.get(target)?.has(anchor);
    });
    expect(dead.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
  });

  it("does not link from shipped pages to files that are not shipped", () => {
    const shipped = pages.filter((page) => /^(?:README\.md|docs\/guides\/.*)$/.test(page));
    const targets = shipped.flatMap((page) => {
      const files = linksIn(read(page)).filter((link) => !link.startsWith("#"));
      return files.map((link) => join(dirname(page), link.replace(/#.*/, "")));
    });
    const isShipped = /^(?:README\.md|CHANGELOG\.md|LICENSE|docs\/guides\b.*)$/;
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !isShipped.test(target))).toEqual([]);
  });

  it.each(["CONTRIBUTING.md", "docs/guides/security.md"])("refers only to existing files: %s", (page) => {
    const code = [...read(page).matchAll(/`([^`\n<…]+)`/g)].map(([, inner = ""]) => inner);
    const named = code.flatMap((text) => text.match(/\b(?:src|test|docs|scripts|bench)\/[\w./-]*/g) ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
    const scripts = [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => script);
    const known = Object.keys(JSON.parse(read("package.json")).scripts);
    expect(scripts.filter((script) => !known.includes(script))).toEqual([]);
  });
});

/** Returns the links of a page to files and headings of this repository, as written, including those of pictures. */
function linksIn(markdown: string): string[] {
  const text = withoutBlocks(markdown).replace(/(`+)[^`][\s\S]*?\1/g, "");
  const links = text.matchAll(
    /\]\(<?([^)\s>]+)|^\[[^\]]+\]: *<?([^\s>]+)|<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"\s]+)/gm,
  );
  return [...links]
    .map(([, inline, below, tag]) => inline ?? below ?? tag ?? "")
    .filter((link) => link !== "" && !/^[a-z][a-z\d+.-]*:/.test(link));
}

/** Returns the anchors of a page, as GitHub creates them. */
function anchorsIn(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(markdown).matchAll(/^#{1,6} +(.+?)(?: +#+)? *$/gm)) {
    const name = slugOf(heading);
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id = ""] of markdown.matchAll(/<\w+\b[^>]*?\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** Keeps letters, digits, hyphens and underscores, and turns spaces into hyphens. Removes all else, such as Markdown markup. */
function slugOf(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<[^>]+>/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2 *$/gm, "");
}
