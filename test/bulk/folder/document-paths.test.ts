import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedPath, objectionToPath, UsedPaths } from "../../../src/bulk/folder/document-paths.ts";
import { orLongRun, property } from "../../support/fuzz.ts";

const empty = "it has an empty segment, as an absolute path does";
const dots = 'it contains "..", which escapes the folder';
const character = "it contains a character that is not allowed in file names";
const windowsName = "it contains a name that Windows does not allow";

describe("a path inside of a folder", () => {
  it.each([
    ["linux", "2026/11/invoice 7.pdf"],
    ["linux", "…/.hidden"],
    ["linux", "..a/b.."],
    ["linux", "Rechnung für Zoë 🧾.pdf"],
    ["linux", "a\\b.pdf"],
    ["linux", "c:x.pdf"],
    ["linux", "con"],
    ["linux", "x".repeat(255)],
    ["win32", "2026\\11/a.pdf"],
  ])("is accepted on %s: %s", (platform, path) => {
    expect(objectionToPath(path, platform)).toBe(undefined);
  });

  it.each([
    ["linux", "", empty],
    ["linux", "/etc/passwd", empty],
    ["linux", "a//b", empty],
    ["linux", "a/", empty],
    ["linux", "..", dots],
    ["linux", "a/../b", dots],
    ["linux", "./a", 'it contains ".", which escapes the folder'],
    ["linux", "a\0.pdf", character],
    ["linux", "a\r\n.pdf", character],
    ["linux", "\u202egpj.pdf", character],
    ["linux", "half \ud800.pdf", character],
    ["linux", "ü".repeat(128), "it contains a name of more than 255 bytes"],
    ["win32", "..\\x", dots],
    ["win32", "a\\..\\x", dots],
    ["win32", "\\\\server\\share", empty],
    ["win32", "c:x.pdf", windowsName],
    ["win32", "file.pdf:stream", windowsName],
    ["win32", "con", windowsName],
    ["win32", "a/LPT1.pdf", windowsName],
    ["win32", "trailing.", windowsName],
    ["win32", "trailing ", windowsName],
    ["win32", "what?.pdf", windowsName],
  ])("is refused on %s: %j", (platform, path, objection) => {
    expect(objectionToPath(path, platform)).toBe(objection);
  });

  const part = orLongRun(fc.oneof(fc.string(), fc.constantFrom("..", ".", "/", "\\", "a", "../", "/..")));

  property("never leads out of the folder, for any value", () =>
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
  ])("are recognized on %s: %j and %j", (platform, one, other) => {
    expect(foldedPath(one, platform)).toBe(foldedPath(other, platform));
    const used = new UsedPaths(platform);
    expect(used.claim(one, 1)).toBe(undefined);
    expect(used.claim(other, 2)).toBe(1);
  });

  it.each([
    ["linux", "A.pdf", "a.pdf"],
    ["linux", "a/b.pdf", "a\\b.pdf"],
    ["darwin", "a/b.pdf", "a\\b.pdf"],
  ])("are not assumed on %s: %j and %j", (platform, one, other) => {
    expect(foldedPath(one, platform)).not.toBe(foldedPath(other, platform));
  });
});
