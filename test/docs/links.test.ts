import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { guides } from "../../docs/site/chapters.mjs";
import { anchorsIn, linksIn } from "../support/paper-links.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const papers = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: repository,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(repository, path)));

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const anchors = new Map(papers.map((path) => [path, anchorsIn(read(path))]));
const links = papers.flatMap((paper) => linksIn(read(paper)).map((link) => ({ paper, link })));

describe("the papers of the repository", () => {
  it("have links, to each other and to places on a page", () => {
    expect(links.length).toBeGreaterThan(20);
    expect(links.some(({ link }) => link.includes("#"))).toBe(true);
  });

  it("have no link that leads nowhere", () => {
    expect(links.filter(({ paper, link }) => isDead(paper, link)).map(told)).toEqual([]);
  });

  it("have no link that leads out of the repository", () => {
    expect(links.filter(({ paper, link }) => targetOf(paper, link).startsWith("..")).map(told)).toEqual([]);
  });

  it("have a place on the site, every guide", () => {
    const placed = Object.values(guides).flat();
    const written = readdirSync(join(repository, "docs/guides")).map((name) => name.replace(/\.md$/, ""));
    expect(
      written.filter((name) => !placed.includes(name)),
      "Name it in docs/site/chapters.mjs",
    ).toEqual([]);
    expect(new Set(placed).size).toBe(placed.length);
  });

  it("begin with their title, which the site shows", () => {
    const untitled = papers.filter((path) => path.startsWith("docs/") && !/^# \S/.test(read(path)));
    expect(untitled).toEqual([]);
  });
});

function told({ paper, link }: { paper: string; link: string }): string {
  return `${paper}: ${link}`;
}

/** Where a link leads, from the root of the repository. */
function targetOf(paper: string, link: string): string {
  const [path = ""] = decodeURI(link).split("#");
  const to = path === "" ? join(repository, paper) : resolve(repository, dirname(paper), path);
  return relative(repository, to).replaceAll("\\", "/");
}

function isDead(paper: string, link: string): boolean {
  const target = targetOf(paper, link);
  const [, anchor] = decodeURI(link).split("#");
  if (!existsSync(join(repository, target))) return true;
  if (anchor === undefined || !target.endsWith(".md")) return false;
  return statSync(join(repository, target)).isDirectory() || !anchors.get(target)?.has(anchor);
}
