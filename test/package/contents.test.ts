import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { linksIn } from "../support/paper-links.ts";
import { consumer, filesBelow, installed } from "./consumer.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const files = filesBelow(installed);
const read = (path: string) => readFileSync(join(installed, path), "utf8");

describe("the published package", () => {
  it("holds dist, the papers, the guides, and nothing else", () => {
    expect(readdirSync(installed).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "docs",
      "package.json",
    ]);
    const guides = readdirSync(join(repository, "docs/guides"));
    expect(guides.filter((name) => !name.endsWith(".md"))).toEqual([]);
    expect(readdirSync(join(installed, "docs"))).toEqual(["guides"]);
    expect(readdirSync(join(installed, "docs/guides"))).toEqual(guides);
    const kinds = /^(?:[\w-]+\/)*[\w-]+\.(?:c?js(?:\.map)?|d\.c?ts)$|^THIRD-PARTY-LICENSES\.md$/;
    expect(filesBelow(join(installed, "dist")).filter(({ path }) => !kinds.test(path))).toEqual([]);
  });

  it("has no link in its papers that leads nowhere in the repository", () => {
    // They are read there, too, and lead on to reports, decisions and examples, which are not in the package.
    const papers = files.filter(({ path }) => path.endsWith(".md"));
    const links = papers.flatMap(({ path }) =>
      linksIn(read(path)).map((link) => ({
        link: `${path}: ${link}`,
        to: join(repository, dirname(path), decodeURI(link).replace(/#.*/, "")),
      })),
    );
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(({ to }) => !existsSync(to)).map(({ link }) => link)).toEqual([]);
  });

  it("names no folder of the machine it was built on", () => {
    const suspects = [repository, "file:///", "/home/", "/Users/", "/tmp/", "C:\\"];
    const found = files.flatMap(({ path }) => {
      const text = read(path);
      return suspects.filter((suspect) => text.includes(suspect)).map((suspect) => `${path}: ${suspect}`);
    });
    expect(found).toEqual([]);
  });

  it("brings undici along, and nothing else", () => {
    const packages = readdirSync(join(consumer, "node_modules")).filter((name) => !name.startsWith("."));
    expect(packages.sort()).toEqual(["template-pdf", "undici"]);
    expect(Object.keys(JSON.parse(read("package.json")).dependencies)).toEqual(["undici"]);
  });

  it("takes at most 4.5 MB of disk, undici included", () => {
    const own = sum(files);
    // A command in `.bin` is a link, or a few lines.
    const all = sum(filesBelow(join(consumer, "node_modules")).filter(({ path }) => !path.startsWith(".")));
    console.info(`installed: ${own.toLocaleString("en")} bytes, with undici ${all.toLocaleString("en")}`);
    expect(all).toBeLessThanOrEqual(4_500_000);
  });

  it("holds each of its classes once per module format", async () => {
    const face = await import(join(installed, "dist", "index.js"));
    const classes = Object.keys(face).filter((name) => /^class\b/.test(String(face[name])));
    expect(classes).toContain("TemplatePdfError");
    for (const format of [".js", ".cjs"]) {
      const code = files
        .filter(({ path }) => path.endsWith(format))
        .map(({ path }) => read(path))
        .join("\n");
      const definitions = classes.map(
        (name) => `${name} ${code.match(new RegExp(`\\b${name} ?= ?class\\b`, "g"))?.length}`,
      );
      expect(definitions).toEqual(classes.map((name) => `${name} 1`));
    }
  });
});

function sum(sized: readonly { readonly bytes: number }[]): number {
  return sized.reduce((total, { bytes }) => total + bytes, 0);
}
