import { describe, expect, it } from "vitest";
import { foldedPath } from "../../../src/bulk/folder/folded-path.ts";
import { UsedPaths } from "../../../src/bulk/folder/used-paths.ts";

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
