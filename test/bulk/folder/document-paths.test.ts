import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedPath, objectionToPath, UsedPaths } from "../../../src/bulk/folder/document-paths.ts";
import { orLongRun, property } from "../../support/fuzz.ts";

describe("a path inside of a folder", () => {
  it.each([
    ["invoice.pdf"],
    ["2026/11/invoice 7.pdf"],
    ["…/.hidden"],
    ["..a/b.."],
    ["Rechnung für Zoë 🧾.pdf"],
    ["a\\b.pdf"],
    ["c:x.pdf"],
    ["con"],
  ])("may be %s", (path) => {
    expect(objectionToPath(path, "linux")).toBe(undefined);
  });

  it.each([
    ["", "it has an empty part, as an absolute path has"],
    ["/etc/passwd", "it has an empty part, as an absolute path has"],
    ["a//b", "it has an empty part, as an absolute path has"],
    ["a/", "it has an empty part, as an absolute path has"],
    ["..", 'it has the part "..", which leads elsewhere'],
    ["a/../b", 'it has the part "..", which leads elsewhere'],
    ["./a", 'it has the part ".", which leads elsewhere'],
    ["a\0.pdf", "it has a character that no file name should have"],
    ["a\r\n.pdf", "it has a character that no file name should have"],
    ["\u202egpj.pdf", "it has a character that no file name should have"],
    ["half \ud800.pdf", "it has a character that no file name should have"],
    [`${"ü".repeat(128)}`, "a name in it is longer than 255 bytes"],
  ])("may not be %j", (path, objection) => {
    expect(objectionToPath(path, "linux")).toBe(objection);
  });

  it("may have a name of 255 bytes", () => {
    expect(objectionToPath("x".repeat(255), "linux")).toBe(undefined);
  });

  it.each([
    ["..\\x", 'it has the part "..", which leads elsewhere'],
    ["a\\..\\x", 'it has the part "..", which leads elsewhere'],
    ["\\\\server\\share", "it has an empty part, as an absolute path has"],
    ["c:x.pdf", "it has a name that Windows does not take"],
    ["file.pdf:stream", "it has a name that Windows does not take"],
    ["con", "it has a name that Windows does not take"],
    ["a/LPT1.pdf", "it has a name that Windows does not take"],
    ["trailing.", "it has a name that Windows does not take"],
    ["trailing ", "it has a name that Windows does not take"],
    ["what?.pdf", "it has a name that Windows does not take"],
  ])("may not be %j on Windows", (path, objection) => {
    expect(objectionToPath(path, "win32")).toBe(objection);
  });

  it("may be of folders on Windows, either way", () => {
    expect(objectionToPath("2026\\11/a.pdf", "win32")).toBe(undefined);
  });

  const part = orLongRun(fc.oneof(fc.string(), fc.constantFrom("..", ".", "/", "\\", "a", "../", "/..")));

  property("leads nowhere else, whatever a value holds", () =>
    fc.property(fc.array(part), (parts) => {
      const path = parts.join("");
      if (objectionToPath(path, "linux") !== undefined) return;
      const inner = posix.resolve("/root/folder", path);
      expect(inner).toMatch(/^\/root\/folder\/./);
      expect(inner).toBe(`/root/folder/${path}`);
    }),
  );
});

describe("two paths of one file", () => {
  it.each([
    ["win32", "2026/a.pdf", "2026\\a.pdf"],
    ["win32", "2026\\A.pdf", "2026/a.PDF"],
    ["darwin", "A.pdf", "a.pdf"],
    ["darwin", "Zoe\u0308.pdf", "Zo\u00eb.pdf"],
  ])("are told on %s: %j and %j", (platform, one, other) => {
    expect(foldedPath(one, platform)).toBe(foldedPath(other, platform));
    const used = new UsedPaths(platform);
    expect(used.claim(one, 1)).toBe(undefined);
    expect(used.claim(other, 2)).toBe(1);
  });

  it.each([
    ["linux", "A.pdf", "a.pdf"],
    ["linux", "a/b.pdf", "a\\b.pdf"],
    ["darwin", "a/b.pdf", "a\\b.pdf"],
  ])("are two on %s: %j and %j", (platform, one, other) => {
    expect(foldedPath(one, platform)).not.toBe(foldedPath(other, platform));
  });
});
