import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  changesetMistake,
  newestOf,
  pendingChangesets,
  versionMistake,
} from "../../scripts/release/changelog.mjs";
import { auditVerdict } from "../../scripts/release/gates-of-repository.mjs";
import { standing } from "../../scripts/release/registry.mjs";
import { placesMistake, repositoryName } from "../../scripts/release/repository-name.mjs";
import { failed, lastLine, leftOut, lineOf, notAsked, passed } from "../../scripts/release/verdict.mjs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("a release", () => {
  it("has one version: in package.json, in the lockfile and on top of CHANGELOG.md", () => {
    expect(versionMistake()).toBeUndefined();
  });

  it("finds changesets that it can read", () => {
    const mistakes = Object.entries(pendingChangesets()).map(([name, text]) => [
      name,
      changesetMistake(text),
    ]);
    expect(mistakes.filter(([, mistake]) => mistake !== undefined)).toEqual([]);
  });

  it("comes from one place", () => {
    expect(placesMistake(manifest)).toBeUndefined();
  });
});

describe("the newest section of a changelog", () => {
  const changelog = "# template-pdf\n\n## 0.2.0\n\n### Minor Changes\n\n- New.\n\n## 0.1.0\n\n- Old.\n";

  it.each([
    ["of two", changelog, { version: "0.2.0", notes: "### Minor Changes\n\n- New." }],
    ["of one", "# template-pdf\n\n## 0.1.0\n\n- Old.\n", { version: "0.1.0", notes: "- Old." }],
    ["of none", "# template-pdf\n", undefined],
  ])("%s", (_title, text, expected) => {
    expect(newestOf(text)).toEqual(expected);
  });
});

describe("a changeset", () => {
  it("names the package, a kind of change, and what changed", () => {
    expect(changesetMistake('---\n"template-pdf": minor\n---\n\nSomething new.\n')).toBeUndefined();
    expect(changesetMistake('---\r\n"template-pdf": patch\r\n---\r\n\r\nMended.\r\n')).toBeUndefined();
  });

  it.each([
    ["Something new.\n", "no front matter"],
    ["---\n[\n---\n\nSomething new.\n", "no YAML"],
    ['---\n"template-pdf": huge\n---\n\nSomething new.\n', "neither major, minor nor patch"],
    ['---\n"another": minor\n---\n\nSomething new.\n', "names another"],
    ["---\n---\n\nSomething new.\n", "neither major, minor nor patch"],
    ['---\n"template-pdf": minor\n---\n\n', "says nothing"],
  ])("%j is refused", (text, mistake) => {
    expect(changesetMistake(text)).toContain(mistake);
  });
});

describe("the repository", () => {
  it.each([
    "git+https://github.com/owner/na.me.git",
    "https://github.com/owner/na.me",
    "https://github.com/owner/na.me/\n",
    "https://key@github.com/owner/na.me.git",
    "git@github.com:owner/na.me.git",
    "ssh://git@github.com/owner/na.me.git",
  ])("of %j is owner/na.me", (url) => {
    expect(repositoryName(url)).toBe("owner/na.me");
  });

  it.each(["", "https://gitlab.com/owner/name", "https://github.com/owner", "/srv/name.git"])(
    "of %j is none",
    (url) => {
      expect(repositoryName(url)).toBeUndefined();
    },
  );

  it("is what homepage and bugs follow", () => {
    const places = {
      repository: { url: "git+https://github.com/Owner/name.git" },
      bugs: { url: "https://github.com/Owner/name/issues" },
      homepage: "https://owner.github.io/name/",
    };
    expect(placesMistake(places)).toBeUndefined();
    expect(placesMistake({ ...places, homepage: "https://example.com/" })).toContain("`homepage`");
    expect(placesMistake({ ...places, bugs: { url: "https://example.com/" } })).toContain("`bugs.url`");
    expect(placesMistake({})).toContain("names no repository");
  });
});

describe("an audit", () => {
  it("passes without a fault, and fails with one, by its name", () => {
    expect(auditVerdict('{"vulnerabilities":{}}', false)).toEqual(passed());
    expect(auditVerdict('{"vulnerabilities":{"undici":{}}}', false)).toMatchObject({
      kind: "failed",
      told: expect.stringContaining("undici"),
    });
  });

  it.each(['{"message":"405 Method Not Allowed","statusCode":405}', "", "<html>"])(
    "that was not answered (%j) has not passed; where it must be answered, it fails",
    (printed) => {
      expect(auditVerdict(printed, false).kind).toBe("not asked");
      expect(auditVerdict(printed, true).kind).toBe("failed");
    },
  );
});

describe("a version on the registry", () => {
  const answer = (stdout: string) => ({ succeeded: true, stdout, stderr: "" });
  const refusal = (stderr: string) => ({ succeeded: false, stdout: "", stderr });

  it.each([
    ['["0.1.0","0.2.0"]', "published"],
    ['"0.2.0"', "published"],
    ['["0.1.0"]', "new version"],
    ['"0.1.0"', "new version"],
  ])("beside %s is %s", (versions, expected) => {
    expect(standing(answer(versions), "0.2.0").standing).toBe(expected);
  });

  it("is new with its package, or nobody knows", () => {
    expect(standing(refusal("npm error code E404\n"), "0.1.0").standing).toBe("no package");
    expect(standing(refusal("npm error code ECONNREFUSED\n"), "0.1.0").standing).toBe("not told");
  });
});

describe("what release:dry prints", () => {
  const gates = [
    { title: "lockfile", verdict: passed() },
    { title: "pack", verdict: passed("a.tgz") },
    { title: "audit", verdict: notAsked("the registry did not answer") },
  ];

  it("is a line for each gate", () => {
    const lines = gates.map(({ title, verdict }) => lineOf(title, verdict));
    expect([...lines, lineOf("demo", failed("it ended", "Run it.", "a\nlong\nstack"))]).toEqual([
      "release: lockfile: passed",
      "release: pack: passed: a.tgz",
      "release: audit: could not be asked: the registry did not answer",
      "release: demo: FAILED: it ended. Run it.",
    ]);
  });

  it("ends with how many of them passed, and names what was left out", () => {
    expect(lastLine(gates)).toBe("2 gates passed, 0 failed, 1 could not be asked");
    const more = [
      { title: "demo", verdict: failed("it ended", "Run it.") },
      { title: "verify", verdict: leftOut("--quick") },
    ];
    expect(lastLine([...gates, ...more])).toBe(
      "2 gates passed, 1 failed, 1 could not be asked; left out: verify (--quick)",
    );
  });
});
