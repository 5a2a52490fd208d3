import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { consumer, filesBelow, installed } from "./consumer.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const files = filesBelow(installed);
const read = (path: string) => readFileSync(join(installed, path), "utf8");
const textOf = (ending: RegExp) =>
  files.flatMap(({ path }) => (ending.test(path) ? [read(path)] : [])).join("\n");
const manifest = JSON.parse(read("package.json"));

describe("the published package", () => {
  it("contains only dist, package.json, the guides, the README, the changelog and the license", () => {
    const top = ["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "package.json"];
    expect(readdirSync(installed).sort()).toEqual(top);
    expect(readdirSync(join(installed, "docs"))).toEqual(["guides"]);
    expect(readdirSync(join(installed, "docs/guides"))).toEqual(readdirSync(join(repository, "docs/guides")));
    const kinds =
      /^(?:[\w-]+\/)*[\w-]+(?:\.browser)?\.(?:c?js(?:\.map)?|d\.c?ts)$|^THIRD-PARTY-LICENSES\.md$|^emulator\/playground\/[\w/-]+\.(?:html|css)$/;
    expect(filesBelow(join(installed, "dist")).filter(({ path }) => !kinds.test(path))).toEqual([]);
  });

  it("contains no paths from the machine that built it", () => {
    const folders = [repository, "file:///", "/home/", "/Users/", "/tmp/", "C:\\"];
    const found = files.filter(({ path }) => folders.some((folder) => read(path).includes(folder)));
    expect(found).toEqual([]);
  });

  it("installs only undici as a dependency", () => {
    const packages = readdirSync(join(consumer, "node_modules")).filter((name) => !name.startsWith("."));
    expect(packages.sort()).toEqual(["template-pdf", "undici"]);
    expect(Object.keys(manifest.dependencies)).toEqual(["undici"]);
  });

  it("takes up at most 5.1 MB on disk, including undici", () => {
    // npm links the commands in folders that begin with a dot.
    const all = filesBelow(join(consumer, "node_modules")).filter(({ path }) => !path.startsWith("."));
    const page = all.filter(({ path }) => path.includes("dist/emulator/playground/"));
    const [bytes = 0, pageBytes = 0] = [all, page].map((files) =>
      files.reduce((total, file) => total + file.bytes, 0),
    );
    console.info(
      `installed: ${bytes.toLocaleString("en")} bytes, the playground: ${pageBytes.toLocaleString("en")}`,
    );
    expect(bytes).toBeLessThanOrEqual(5_100_000);
    expect(pageBytes).toBeGreaterThan(100_000);
    expect(pageBytes).toBeLessThanOrEqual(400_000);
  });

  it.each([
    ["ES modules", /(?<!\.browser)\.js$/],
    ["CommonJS modules", /\.cjs$/],
  ])("defines each public class once in its %s", async (_, ending) => {
    const module = await import(join(installed, "dist", "index.js"));
    const classes = Object.keys(module).filter((name) => /^class\b/.test(String(module[name])));
    expect(classes).toContain("TemplatePdfError");
    const counts = classes.map(
      (name) => textOf(ending).split(new RegExp(`\\b${name} ?= ?class\\b`)).length - 1,
    );
    expect(counts).toEqual(classes.map(() => 1));
  });
});

describe("the licenses in the published package", () => {
  const licenses = new Map(
    read("dist/THIRD-PARTY-LICENSES.md")
      .split(/^# /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf(" ")), section]),
  );

  it("cover exactly the bundled packages", () => {
    // The build names the source of each part in a comment before it.
    const sources = textOf(/\.c?js$/).matchAll(/^ *\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm);
    const bundled = [...sources].map(([, name]) => name);
    expect([...licenses.keys()]).toEqual([...new Set(bundled)].sort());
  });

  it.each([...licenses])("include the complete license and the copyright line of %s", (name, license) => {
    const path = join(repository, "node_modules", name, "package.json");
    const { version } = JSON.parse(readFileSync(path, "utf8"));
    expect(license).toContain(`${name} ${version}\n`);
    expect(license).toMatch(/^Copyright /m);
    for (const part of ["Permission is hereby granted", "shall be", /["'“]AS IS["'”]/]) {
      expect(license).toMatch(part);
    }
  });
});
