import { posix, win32 } from "node:path";
import { expect, it } from "vitest";
import { objectionOfWindows } from "../../src/files/filenames.ts";
import { absolutePath } from "../../src/files/follow-links.ts";

const refusedNames = {
  "a device": ["CON", "aux .tar.gz", "COM1.pdf", "lpt9", "COM¹.pdf", "conout$.pdf"],
  "does not allow \\": ["a.pdf:stream", '"<|>?*".pdf', "a\tb.pdf"],
  "at the end": ["a.pdf.", "a.pdf "],
  "too long": ["n".repeat(256)],
};
const rows = Object.entries(refusedNames).flatMap(([why, names]) =>
  names.map((name) => [name, why] as const),
);

it.each(rows)("The file name check for Windows rejects `%s`", (name, objection) => {
  expect(objectionOfWindows(name)).toContain(objection);
});

const allowedNames = ["console.pdf", "com10.pdf", "CON$.pdf", "a.con"];
it.each([...allowedNames, "Rechnung für Zoë 🧾.pdf", "ü".repeat(255)])(
  "The file name check for Windows accepts `%s`",
  (name) => {
    expect(objectionOfWindows(name)).toBeUndefined();
  },
);

it.each([
  ["a.pdf", "C:\\work\\now\\a.pdf"],
  ["out/a.pdf", "C:\\work\\now\\out\\a.pdf"],
  ["..\\a.pdf", "C:\\work\\a.pdf"],
  ["c:/out/../a.pdf", "c:\\a.pdf"],
  ["C:a.pdf", "C:\\work\\now\\a.pdf"],
  ["\\out\\a.pdf", "C:\\out\\a.pdf"],
  ["\\\\server\\share\\a.pdf", "\\\\server\\share\\a.pdf"],
  ["\\\\?\\C:\\out\\a.pdf", "\\\\?\\C:\\out\\a.pdf"],
  // Paths without a file name keep their end. They are refused later.
  ["\\\\server\\share", "\\\\server\\share\\"],
  ["out/", "C:\\work\\now\\out\\"],
  ["..", "C:\\work\\now\\.."],
  ["C:", "C:\\work\\now\\"],
  ["a.pdf.", "C:\\work\\now\\a.pdf."],
])("On Windows in the working directory C:\\work\\now, the path `%s` resolves to `%s`", (text, expected) => {
  expect(absolutePath(text, "C:\\work\\now", win32)).toBe(expected);
});

it.each([
  ["a.pdf", "/work/now/a.pdf"],
  // Only the system knows the parent folder of a link.
  ["linked/../a.pdf", "/work/now/linked/../a.pdf"],
  ["out/", "/work/now/out/"],
])("On POSIX in the working directory /work/now, the path `%s` resolves to `%s`", (text, expected) => {
  expect(absolutePath(text, "/work/now", posix)).toBe(expected);
});
