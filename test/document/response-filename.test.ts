import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filenameOf as redactedFilenameOf } from "../../src/document/response-filename.ts";
import { anyCharacter, orLongRun, property } from "../support/fuzz.ts";

function filenameOf(disposition: string | undefined): string | undefined {
  return redactedFilenameOf(disposition, (name) => name);
}

it.each<[string | undefined, string | undefined]>([
  // RFC 6266, section 5 and appendix D
  ['INLINE; FILENAME= "an example.html"', "an example.html"],
  ["attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"],
  // RFC 8187, section 3.2.3
  ["x; filename*=iso-8859-1'en'%A3%20rates", "£ rates"],
  // Other notations
  ['attachment ; filename = "a.pdf"', "a.pdf"],
  ['attachment; filename="the \\"best\\".pdf"', "the _best_.pdf"],
  ['attachment; filename="a\\\\b.pdf"', "b.pdf"],
  ["attachment; xfilename=evil.pdf; filename=good.pdf", "good.pdf"],
  ['attachment; filename="a.pdf', "_a.pdf"],
  ["attachment; filename=a.pdf; filename=b.pdf", "a.pdf"],
  // Unusable names
  [undefined, undefined],
  ['filename="a.pdf"', undefined],
  ["attachment; filename*=UTF-8''%", undefined],
  // Unusable `filename*`
  ["attachment; filename=a.pdf; filename*=xutf-8''b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=x-iso-8859-1''b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=UTF-8''%2e%2e%2f", "a.pdf"],
])("The file name in the Content-Disposition header `%s` is `%s`", (disposition, expected) => {
  expect(filenameOf(disposition)).toBe(expected);
});

describe("A file name", () => {
  const plain = (name: string) => filenameOf(`attachment; filename="${name.replace(/["\\]/g, "\\$&")}"`);
  const extended = (name: string) => filenameOf(`attachment; filename*=UTF-8''${encodeURIComponent(name)}`);

  it.each<[string, string | undefined]>([
    ["../../etc/passwd", "passwd"],
    ["a.pdf:stream", "a.pdf_stream"],
    ["a/", undefined],
    [".bashrc", "bashrc"],
    [" a.pdf. ", "a.pdf"],
    ["a<b>|c?*.pdf", "a_b__c__.pdf"],
    ["CON", "_CON"],
    ["Aux.pdf", "_Aux.pdf"],
    ["lpt9.pdf", "_lpt9.pdf"],
    [`${"x".repeat(300)}.template`, `${"x".repeat(240)}.template`],
  ])("has no folder and is safe on every system: %j becomes %j", (name, expected) => {
    expect({ plain: plain(name), extended: extended(name) }).toEqual({ plain: expected, extended: expected });
  });

  it.each(["a\0\r\nb.pdf", "a\u202efdp.exe\u2066\u2069\u200e\u200f\u061cb.pdf"])(
    "is cleaned of control characters and text direction marks: %j",
    (name) => {
      expect(extended(name)).toMatch(/^[a-z._]+$/);
    },
  );

  it.each(["x", "🧾"])("is shortened without splitting a character, and keeps its extension: %s…", (unit) => {
    for (const stem of [unit.repeat(400), `x${unit.repeat(400)}`, `${unit.repeat(300)} ${unit}`]) {
      const bare = extended(`${stem}.pdf`) ?? "";
      expect(Buffer.byteLength(bare)).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(bare)).toBeGreaterThan(235);
      expect(bare).toMatch(/^[^\s]+.*[^\s.]\.pdf$/u);
      expect(bare).not.toMatch(/\p{Surrogate}/u);
    }
  });

  const part = fc.oneof(
    fc.constantFrom(...'../\\\0\u202e" .', "..", "%2e", "%2F", "%5c", "%00", "''", "UTF-8''", "CON"),
    fc.string({ unit: anyCharacter, maxLength: 9 }),
    fc.nat(300).map((length) => "x".repeat(length)),
    fc.string({ unit: anyCharacter, maxLength: 9 }).map(encodeURIComponent),
  );

  property(
    "is read from any header in linear time, has no folder and is safe on every system",
    (saw) => {
      const starts = ["filename=", 'filename="', "filename*=UTF-8''", "filename*=iso-8859-1''"];
      const header = fc
        .tuple(fc.constantFrom(...starts), fc.array(part))
        .map(([start, parts]) => `attachment; ${start}${parts.join("")}`);
      return fc.property(orLongRun(fc.oneof(header, fc.string({ unit: anyCharacter }))), (disposition) => {
        const name = filenameOf(disposition);
        if (name === undefined) return saw("no name");
        saw("a name");
        expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}\p{Bidi_Control}<>:"|?*]|^$|^[.\s]|[.\s]$/u);
        expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      });
    },
    { outcomes: ["a name", "no name"] },
  );
});
