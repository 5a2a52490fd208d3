import { posix, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { absolutePath } from "../../src/files/target.ts";

describe("an absolute path on Windows, from C:\\work\\now:", () => {
  it.each([
    ["a.pdf", "C:\\work\\now\\a.pdf"],
    ["out/a.pdf", "C:\\work\\now\\out\\a.pdf"],
    ["..\\a.pdf", "C:\\work\\a.pdf"],
    ["C:\\out\\..\\a.pdf", "C:\\a.pdf"],
    ["c:/out/a.pdf", "c:\\out\\a.pdf"],
    ["C:a.pdf", "C:\\work\\now\\a.pdf"],
    ["C:..\\a.pdf", "C:\\work\\a.pdf"],
    ["\\out\\a.pdf", "C:\\out\\a.pdf"],
    ["/out/a.pdf", "C:\\out\\a.pdf"],
    ["\\\\server\\share\\a.pdf", "\\\\server\\share\\a.pdf"],
    ["\\\\server\\share\\out\\a.pdf", "\\\\server\\share\\out\\a.pdf"],
    ["\\\\?\\C:\\out\\a.pdf", "\\\\?\\C:\\out\\a.pdf"],
    // What names no file is left to be refused.
    ["\\\\server\\share", "\\\\server\\share\\"],
    ["\\\\server\\share\\", "\\\\server\\share\\"],
    ["\\\\?\\C:", "\\\\?\\C:\\"],
    ["\\", "C:\\"],
    ["C:/", "C:\\"],
    ["out\\", "C:\\work\\now\\out\\"],
    ["out/", "C:\\work\\now\\out\\"],
    ["out\\.", "C:\\work\\now\\out\\."],
    ["..", "C:\\work\\now\\.."],
    ["C:", "C:\\work\\now\\"],
    ["a.pdf.", "C:\\work\\now\\a.pdf."],
    ["a.pdf:x", "C:\\work\\now\\a.pdf:x"],
  ])("%s", (text, expected) => {
    expect(absolutePath(text, "C:\\work\\now", win32)).toBe(expected);
  });
});

describe("an absolute path elsewhere, from /work/now:", () => {
  it.each([
    ["a.pdf", "/work/now/a.pdf"],
    ["/a.pdf", "/a.pdf"],
    // What stands above a link only the system knows.
    ["linked/../a.pdf", "/work/now/linked/../a.pdf"],
    ["C:\\a.pdf", "/work/now/C:\\a.pdf"],
    ["out/", "/work/now/out/"],
  ])("%s", (text, expected) => {
    expect(absolutePath(text, "/work/now", posix)).toBe(expected);
  });
});
