import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkAudit, NotChecked } from "../../scripts/release/gates.mjs";
import { readAnswer } from "../../scripts/release/registry.mjs";
import { repositoryName } from "../../scripts/release/repository-name.mjs";
import { newestOf } from "../../scripts/release/versions.mjs";
import { read } from "./declarations.ts";

const manifest = JSON.parse(read("package.json"));

describe("a release", () => {
  it("has one version in package.json, the lockfile and CHANGELOG.md", () => {
    const { version, packages } = JSON.parse(read("package-lock.json"));
    const versions = [version, packages[""].version, newestOf(read("CHANGELOG.md")).version];
    expect(versions).toEqual(Array(3).fill(manifest.version));
  });

  it("has changesets for this package only, each with a kind of change and a text", () => {
    const names = readdirSync(new URL("../../.changeset", import.meta.url));
    const texts = names.filter((name) => name.endsWith(".md") && name !== "README.md");
    const valid = /^---\n"template-pdf": (?:major|minor|patch)\n---\n\n\S/;
    expect(texts.filter((name) => !valid.test(read(`.changeset/${name}`)))).toEqual([]);
  });

  it("is public, has provenance and names one repository", () => {
    const name = repositoryName(manifest.repository.url) ?? "";
    expect(manifest).toMatchObject({
      repository: { url: `git+https://github.com/${name}.git` },
      bugs: { url: `https://github.com/${name}/issues` },
      homepage: `https://${name.toLowerCase().replace("/", ".github.io/")}/`,
      publishConfig: { access: "public", provenance: true },
    });
    expect(manifest.private).toBeUndefined();
  });
});

it("the release notes of a changelog are those of the newest version", () => {
  const changelog = "# a\n\n## 0.2.0\n\n### Minor\n\n- New.\n\n## 0.1.0\n\n- Old.\n";
  expect(newestOf(changelog)).toEqual({ version: "0.2.0", notes: "### Minor\n\n- New." });
});

it.each([
  ["git+https://github.com/owner/na.me.git", "owner/na.me"],
  ["https://key@github.com/owner/na.me.git", "owner/na.me"],
  ["git@github.com:owner/na.me.git", "owner/na.me"],
  ["https://gitlab.com/owner/name", undefined],
])("the repository of %j is %s", (url, name) => {
  expect(repositoryName(url)).toBe(name);
});

it("the audit of a release passes without a vulnerability, names the package of one, and fails if it is unreadable", () => {
  expect(checkAudit('{"vulnerabilities":{}}', false)).toBeUndefined();
  expect(() => checkAudit('{"vulnerabilities":{"undici":{}}}', false)).toThrow("undici");
  const unreadable = '{"message":"405 Method Not Allowed"}';
  expect(() => checkAudit(unreadable, false)).toThrow(NotChecked);
  expect(() => checkAudit(unreadable, true)).toThrow("needs an audit");
});

it.each([
  [true, '["0.1.0","0.2.0"]', "", "published"],
  [true, '["0.1.0"]', "", "new version"],
  [false, "", "npm error code E404\n", "no package"],
  [false, "", "npm error code ECONNREFUSED\n", "unknown"],
])(
  "a registry that answers %s %j %j has the version in the state: %s",
  (succeeded, stdout, stderr, state) => {
    expect(readAnswer({ succeeded, stdout, stderr }, "0.2.0").state).toBe(state);
  },
);
