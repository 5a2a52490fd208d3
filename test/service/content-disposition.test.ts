import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filenameOf } from "../../src/document/filename.ts";
import { safeFilename } from "../../src/files/filenames.ts";
import { contentDisposition } from "../../src/service/content-disposition.ts";
import { orLongRun, property } from "../support/fuzz.ts";

describe("contentDisposition", () => {
  it.each([
    ["invoice", 'attachment; filename="invoice.pdf"'],
    ["invoice.pdf", 'attachment; filename="invoice.pdf"'],
    ["Invoice 7.PDF", 'attachment; filename="Invoice 7.pdf"'],
    ["../../etc/passwd", 'attachment; filename="_.._etc_passwd.pdf"'],
    ["C:\\evil", 'attachment; filename="C__evil.pdf"'],
    ['a"; filename="b', 'attachment; filename="a_; filename=_b.pdf"'],
    ["a\r\nset-cookie: b", 'attachment; filename="a__set-cookie_ b.pdf"'],
    [".hidden", 'attachment; filename="hidden.pdf"'],
    ["nul", 'attachment; filename="_nul.pdf"'],
    ["", 'attachment; filename="document.pdf"'],
    [" .. ", 'attachment; filename="document.pdf"'],
    ["100%", "attachment; filename=\"100_.pdf\"; filename*=UTF-8''100%25.pdf"],
    [
      "März (Łódź)",
      "attachment; filename=\"M_rz (__d_).pdf\"; filename*=UTF-8''M%C3%A4rz%20%28%C5%81%C3%B3d%C5%BA%29.pdf",
    ],
    ["τιμολόγιο", /^attachment; filename="_{9}\.pdf"; filename\*=UTF-8''%CF%84.*\.pdf$/],
    ["cod\u202efdp.exe", 'attachment; filename="cod_fdp.exe.pdf"'],
    ["half \ud800", 'attachment; filename="half _.pdf"'],
  ])("offers %j safely", (filename, expected) => {
    expect(contentDisposition(filename)).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
  });

  it("keeps any name short, whole characters only", () => {
    expect(contentDisposition("🧾".repeat(500))).toContain(`''${"%F0%9F%A7%BE".repeat(60)}.pdf`);
  });

  property("is one header that any runtime takes, whatever the name", () =>
    fc.property(orLongRun(fc.string({ unit: "binary" })), (filename) => {
      const header = contentDisposition(filename);
      expect(header).toMatch(
        /^attachment; filename="[^"%\\/]*\.pdf"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]+\.pdf)?$/,
      );
      expect(new Headers({ "content-disposition": header }).get("content-disposition")).toBe(header);
    }),
  );

  it("is read back by the client as the name that was meant", () => {
    for (const name of ["invoice.pdf", "Rechnung März 100%.pdf", "τιμολόγιο '7'.pdf", "a; b=c, d.pdf"]) {
      expect(filenameOf(contentDisposition(name))).toBe(name);
    }
  });

  property("is read back by the client as the safe form of any name", () =>
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const safe = safeFilename(name.replace(/\.pdf$/i, "")) ?? "document";
      expect(filenameOf(contentDisposition(name))).toBe(`${safe}.pdf`);
    }),
  );
});
