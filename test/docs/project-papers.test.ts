import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { repositoryName } from "../../scripts/release/repository-name.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const manifest = JSON.parse(read("package.json"));

/** For those who work on this, or with those who do; where they link to, test/docs/links.test.ts knows. */
const papers = ["CONTRIBUTING.md", "SECURITY.md", ".changeset/README.md"];

const isBuilt = (path: string) => /^(?:dist|site)\//.test(path);

describe.each(papers)("%s", (paper) => {
  const text = read(paper);
  // A reader has yet to make what has such a name.
  const code = [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, inner = ""]) => inner)
    .filter((inner) => !/[<…]/.test(inner));

  it("names files and folders that are there", () => {
    const named = code.flatMap(
      (inner) => inner.match(/(?:\.?[\w-]+\/)+[\w.-]*|(?<![\w./])[\w-][\w.-]*\.(?:json|md|ts|mjs)\b/g) ?? [],
    );
    const own = named.filter((path) => !path.startsWith(`${manifest.name}/`) && !isBuilt(path));
    expect(own.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });

  it("names scripts that are there", () => {
    const scripts = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => script);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });

  it("names the repository that package.json names", () => {
    const named = [...text.matchAll(/github\.com\/([\w.-]+\/[\w.-]+)|--repo ([\w.-]+\/[\w.-]+)/g)];
    const own = named
      .flatMap(([, url, flag]) => url ?? flag ?? [])
      .filter((name) => !name.startsWith("npm/"));
    expect([...new Set(own)].filter((name) => name !== repositoryName(manifest.repository.url))).toEqual([]);
  });
});

it("CONTRIBUTING.md draws every folder of the sources", () => {
  const [, picture = ""] = /^```\nsrc\/\n(.*?)^```$/ms.exec(read("CONTRIBUTING.md")) ?? [];
  const rooms = readdirSync(join(repository, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}/`);
  expect(rooms.length).toBeGreaterThan(0);
  expect(rooms.filter((room) => !picture.includes(room))).toEqual([]);
});
