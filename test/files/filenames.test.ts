import { describe, expect, it } from "vitest";
import { objectionOfWindows } from "../../src/files/filenames.ts";

describe("Windows takes no file called", () => {
  it.each([
    ["CON", "a device"],
    ["nul", "a device"],
    ["NUL.pdf", "a device"],
    ["aux .tar.gz", "a device"],
    ["COM1.pdf", "a device"],
    ["lpt9", "a device"],
    ["COM¹.pdf", "a device"],
    ["CONIN$", "a device"],
    ["conout$.pdf", "a device"],
    ["a.pdf:stream", "none of"],
    ["C:a.pdf", "none of"],
    ["what?.pdf", "none of"],
    ["all*.pdf", "none of"],
    ['"a".pdf', "none of"],
    ["<a>.pdf", "none of"],
    ["a|b.pdf", "none of"],
    ["a\tb.pdf", "none of"],
    ["a.pdf.", "at the end"],
    ["a.pdf ", "at the end"],
    ["...", "at the end"],
    ["n".repeat(256), "too long"],
  ])("%s", (name, objection) => {
    expect(objectionOfWindows(name)).toContain(objection);
  });
});

describe("Windows takes a file called", () => {
  it.each([
    ["invoice.pdf"],
    [".hidden"],
    ["  a.pdf"],
    ["console.pdf"],
    ["com10.pdf"],
    ["null"],
    ["CON$.pdf"],
    ["a.con"],
    ["Rechnung für Zoë 🧾.pdf"],
    ["ü".repeat(255)],
  ])("%s", (name) => {
    expect(objectionOfWindows(name)).toBe(undefined);
  });
});
