import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkAudit, NotChecked } from "../../scripts/release/gates.mjs";
import { readAnswer } from "../../scripts/release/registry.mjs";
import { repositoryName } from "../../scripts/release/repository-name.mjs";
import { newestOf } from "../../scripts/release/versions.mjs";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("package.json"));

describe("A release", () => {
  it("has one version: in package.json, in the lockfile and on top of CHANGELOG.md", () => {
    const { version, packages } = JSON.parse(read("package-lock.json"));
    const named = [version, packages[""].version, newestOf(read("CHANGELOG.md")).version];
    expect(named).toEqual(Array(3).fill(manifest.version));
  });

  it("has changesets for this package only, with a kind of change and a text", () => {
    const names = readdirSync(new URL("../../.changeset", import.meta.url));
    const texts = names.filter((name) => name.endsWith(".md") && name !== "README.md");
    const wrong = texts.filter((name) => {
      return !/^---\n"template-pdf": (?:major|minor|patch)\n---\n\n\S/.test(read(`.changeset/${name}`));
    });
    expect(wrong).toEqual([]);
  });

  it("comes from one place on GitHub", () => {
    const name = repositoryName(manifest.repository.url);
    expect(manifest.repository.url).toBe(`git+https://github.com/${name}.git`);
    expect(manifest.bugs.url).toBe(`https://github.com/${name}/issues`);
    const [owner, project] = name?.split("/") ?? [];
    expect(manifest.homepage).toBe(`https://${owner?.toLowerCase()}.github.io/${project}/`);
  });

  it("is open to everybody and has provenance", () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });
});

it.each([
  [
    "of two",
    "# a\n\n## 0.2.0\n\n### Minor\n\n- New.\n\n## 0.1.0\n\n- Old.\n",
    "0.2.0",
    "### Minor\n\n- New.",
  ],
  ["of one", "# a\n\n## 0.1.0\n\n- Old.\n", "0.1.0", "- Old."],
])("the newest section of a changelog is found, %s", (_title, text, version, notes) => {
  expect(newestOf(text)).toEqual({ version, notes });
});

it.each([
  ["git+https://github.com/owner/na.me.git", "owner/na.me"],
  ["https://github.com/owner/na.me/\n", "owner/na.me"],
  ["https://key@github.com/owner/na.me.git", "owner/na.me"],
  ["git@github.com:owner/na.me.git", "owner/na.me"],
  ["https://gitlab.com/owner/name", undefined],
  ["/srv/name.git", undefined],
])("the repository of %j is %s", (url, name) => {
  expect(repositoryName(url)).toBe(name);
});

describe("An audit", () => {
  it("passes without a vulnerability, and fails with one, by its name", () => {
    expect(checkAudit('{"vulnerabilities":{}}', false)).toBeUndefined();
    expect(() => checkAudit('{"vulnerabilities":{"undici":{}}}', false)).toThrow("undici");
  });

  it.each(['{"message":"405 Method Not Allowed"}', "", "<html>"])(
    "that was not answered (%j) is not checked, and fails if it must be answered",
    (printed) => {
      expect(() => checkAudit(printed, false)).toThrow(NotChecked);
      expect(() => checkAudit(printed, true)).toThrow("unaudited");
    },
  );
});

it.each([
  [true, '["0.1.0","0.2.0"]', "", "published"],
  [true, '"0.2.0"', "", "published"],
  [true, '["0.1.0"]', "", "new version"],
  [false, "", "npm error code E404\n", "no package"],
  [false, "", "npm error code ECONNREFUSED\n", "unknown"],
])("a registry that answers %s %j %j knows the version as: %s", (succeeded, stdout, stderr, state) => {
  expect(readAnswer({ succeeded, stdout, stderr }, "0.2.0").state).toBe(state);
});
