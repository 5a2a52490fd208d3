import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedPath, objectionToPath, UsedPaths } from "../../../src/bulk/folder/document-paths.ts";
import { orLongRun, property } from "../../support/fuzz.ts";

const empty = "it is absolute or has an empty segment";
const dots = 'it contains "..", which escapes the folder';
const character = "it contains a character that is not allowed in file names";
const windowsName = "it contains a name that Windows does not allow";

describe("a path inside a folder", () => {
  it.each([
    ["linux", "2026/…/.hidden/..a/b../Rechnung für Zoë 🧾.pdf", undefined],
    ["linux", "a\\b/c:x.pdf/con", undefined],
    ["linux", "x".repeat(255), undefined],
    ["win32", "2026\\11/a.pdf", undefined],
    ["linux", "", empty],
    ["linux", "/etc/passwd", empty],
    ["linux", "a/", empty],
    ["linux", "..", dots],
    ["linux", "a/../b", dots],
    ["linux", "./a", 'it contains ".", which escapes the folder'],
    ["linux", "a\0.pdf", character],
    ["linux", "\u202egpj.pdf", character],
    ["linux", "half \ud800.pdf", character],
    ["linux", "ü".repeat(128), "it contains a name of more than 255 bytes"],
    ["win32", "a\\..\\x", dots],
    ["win32", "\\\\server\\share", empty],
    ["win32", "c:x.pdf", windowsName],
    ["win32", "a/LPT1.pdf", windowsName],
  ])("is validated by the rules for %s: %j (error: %s)", (platform, path, objection) => {
    expect(objectionToPath(path, platform)).toBe(objection);
  });

  const part = orLongRun(fc.oneof(fc.string(), fc.constantFrom("..", ".", "/", "\\", "a", "../", "/..")));

  property(
    "never leads out of the folder if it is valid on Linux",
    (saw) =>
      fc.property(fc.array(part), (parts) => {
        const path = parts.join("");
        if (objectionToPath(path, "linux") !== undefined) return saw("invalid");
        saw(path.includes("/") ? "valid, with a subfolder" : "valid, without a subfolder");
        expect(posix.resolve("/root/folder", path)).toBe(`/root/folder/${path}`);
      }),
    { outcomes: ["invalid", "valid, with a subfolder", "valid, without a subfolder"] },
  );

  property(
    "never leads out of the folder if it is valid on Windows",
    (saw) =>
      fc.property(
        fc.array(fc.oneof(part, fc.constantFrom("a/b", "2026\\11", "c:", "\\\\?\\")), { maxLength: 4 }),
        (parts) => {
          const path = parts.join("");
          if (objectionToPath(path, "win32") !== undefined) return saw("invalid");
          saw(/[/\\]/.test(path) ? "valid, with a subfolder" : "valid, without a subfolder");
          expect(win32.resolve("C:\\root", path)).toBe(`C:\\root\\${path.replaceAll("/", "\\")}`);
        },
      ),
    { outcomes: ["invalid", "valid, with a subfolder", "valid, without a subfolder"] },
  );
});

it.each([
  ["win32", "2026\\A.pdf", "2026/a.PDF", true],
  ["darwin", "A.pdf", "a.pdf", true],
  ["darwin", "Zoe\u0308.pdf", "Zo\u00eb.pdf", true],
  ["darwin", "a/b.pdf", "a\\b.pdf", false],
  ["linux", "A.pdf", "a.pdf", false],
])("paths are compared by the rules for %s: %j and %j (same file: %j)", (platform, one, other, isSame) => {
  expect(foldedPath(one, platform) === foldedPath(other, platform)).toBe(isSame);
  const used = new UsedPaths(platform);
  expect({ first: used.claim(one, 1), second: used.claim(other, 2) }).toEqual({
    first: undefined,
    second: isSame ? 1 : undefined,
  });
});
