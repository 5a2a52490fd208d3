import { describe, expect, it } from "vitest";
import { contentDisposition } from "../../src/service/content-disposition.ts";

describe("contentDisposition()", () => {
  it.each([
    ["Invoice 7.PDF", 'attachment; filename="Invoice 7.pdf"'],
    ['a"; filename="b', 'attachment; filename="a_; filename=_b.pdf"'],
    ["a\r\nset-cookie: b", 'attachment; filename="a__set-cookie_ b.pdf"'],
    ["", 'attachment; filename="document.pdf"'],
    ["100%", "attachment; filename=\"100_.pdf\"; filename*=UTF-8''100%25.pdf"],
    ["März (Ł)", "attachment; filename=\"M_rz (_).pdf\"; filename*=UTF-8''M%C3%A4rz%20%28%C5%81%29.pdf"],
  ])("encodes the file name %j safely", (filename, expected) => {
    expect(contentDisposition(filename)).toBe(expected);
  });

  it("shortens long file names without splitting a character", () => {
    expect(contentDisposition("🧾".repeat(500))).toContain(`''${"%F0%9F%A7%BE".repeat(60)}.pdf`);
  });
});
