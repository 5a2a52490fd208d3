import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filenameOf } from "../../src/document/filename.ts";
import { safeFilename } from "../../src/files/filenames.ts";
import { orLongRun, property } from "../support/fuzz.ts";

describe("A content-disposition", () => {
  it.each([
    // RFC 6266, section 5 and appendix D
    ["Attachment; filename=example.html", "example.html"],
    ['INLINE; FILENAME= "an example.html"', "an example.html"],
    ["attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"],
    ["attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"],
    // RFC 8187, section 3.2.3
    ["x; filename*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "£ and € rates"],
    ["x; filename*=iso-8859-1'en'%A3%20rates", "£ rates"],
  ])("names a file as in the examples of the RFCs: %s", (disposition, expected) => {
    expect(filenameOf(disposition)).toBe(expected);
  });

  const empty = ['attachment; filename=""', "attachment; filename=", "attachment; filename*=UTF-8''%"];
  it.each([undefined, "", "attachment", 'filename="a.pdf"', ...empty])(
    "without a usable name returns none: %s",
    (disposition) => {
      expect(filenameOf(disposition)).toBeUndefined();
    },
  );

  it.each([
    ["spaces around the equals sign", 'attachment ; filename = "a.pdf"', "a.pdf"],
    ["no space after the semicolon", "attachment;filename=a.pdf", "a.pdf"],
    ["escaped quotes", 'attachment; filename="the \\"best\\".pdf"', "the _best_.pdf"],
    ["an escaped backslash", 'attachment; filename="a\\\\b.pdf"', "b.pdf"],
    ["a semicolon in quotes", 'attachment; filename="a;b.pdf"', "a;b.pdf"],
    ["a decoy in another name", "attachment; xfilename=evil.pdf; filename=good.pdf", "good.pdf"],
    ["an unclosed quote", 'attachment; filename="a.pdf', "_a.pdf"],
    ["the same name twice", "attachment; filename=a.pdf; filename=b.pdf", "a.pdf"],
    ["a percent sign in a plain name", "attachment; filename=a%20b.pdf", "a%20b.pdf"],
  ])("may have %s", (_, disposition, expected) => {
    expect(filenameOf(disposition)).toBe(expected);
  });

  it.each([
    ["an unknown character set", "utf-16''b.pdf"],
    ["a character set that ends like UTF-8", "xutf-8''b.pdf"],
    ["a character set that begins like UTF-8", "utf-80''b.pdf"],
    ["a character set that begins like ISO-8859-1", "iso-8859-15''b.pdf"],
    ["a character set that ends like ISO-8859-1", "x-iso-8859-1''b.pdf"],
    ["malformed percent-encoding", "UTF-8''%ff%zz"],
    ["bytes that are not UTF-8", "UTF-8''%e2%82"],
    ["no quotes", "b.pdf"],
    ["no bare name", "UTF-8''%2e%2e%2f"],
  ])("with an unusable filename* is named by filename: %s", (_, extended) => {
    expect(filenameOf(`attachment; filename=a.pdf; filename*=${extended}`)).toBe("a.pdf");
  });
});

describe("A file name", () => {
  const plain = (name: string) => filenameOf(`attachment; filename="${name.replace(/["\\]/g, "\\$&")}"`);
  const extended = (name: string) => filenameOf(`attachment; filename*=UTF-8''${encodeURIComponent(name)}`);

  it.each<[string, string | undefined]>([
    ["../../etc/passwd", "passwd"],
    ["..\\..\\windows\\win.ini", "win.ini"],
    ["C:\\evil.pdf", "evil.pdf"],
    ["C:evil.pdf", "C_evil.pdf"],
    ["a.pdf:stream", "a.pdf_stream"],
    ["a/", undefined],
    ["..", undefined],
    [". . .", undefined],
    ["..pdf", "pdf"],
    [".bashrc", "bashrc"],
    [" a.pdf. ", "a.pdf"],
    ["a<b>|c?*.pdf", "a_b__c__.pdf"],
    ["CON", "_CON"],
    ["nul.tar.gz", "_nul.tar.gz"],
    ["Aux.pdf", "_Aux.pdf"],
    ["PRN.", "_PRN"],
    ["lpt9.pdf", "_lpt9.pdf"],
    ["console.pdf", "console.pdf"],
    ["com.pdf", "com.pdf"],
    ["com10.pdf", "com10.pdf"],
    [`${"x".repeat(300)}.template`, `${"x".repeat(240)}.template`],
  ])("has no folder and is safe on every system: %j becomes %j", (name, expected) => {
    expect([plain(name), extended(name)]).toEqual([expected, expected]);
  });

  it.each([
    ["NUL", "a\0b.pdf"],
    ["line breaks", "a\r\nb.pdf"],
    ["DEL and C1 controls", "a\x7f\x85b.pdf"],
    ["a right-to-left override, which disguises an extension", "a\u202efdp.exe"],
    ["isolates and marks of direction", "a\u2066\u2069\u200e\u200f\u061cb.pdf"],
    ["separators of lines and paragraphs", "a\u2028\u2029b.pdf"],
  ])("does not contain %s", (_, name) => {
    expect(extended(name)).toMatch(/^[a-z._]+$/);
  });

  it.each(["x", "ü", "請", "🧾"])("is shortened to whole characters and keeps its extension: %s…", (unit) => {
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
    fc.string({ unit: "binary", maxLength: 9 }),
    fc.nat(300).map((length) => "x".repeat(length)),
    fc.string({ unit: "binary", maxLength: 9 }).map(encodeURIComponent),
  );

  property("has no folder and is safe for any header, in linear time", () => {
    const starts = ["filename=", 'filename="', "filename*=UTF-8''", "filename*=iso-8859-1''"];
    const header = fc
      .tuple(fc.constantFrom(...starts), fc.array(part))
      .map(([start, parts]) => `attachment; ${start}${parts.join("")}`);
    return fc.property(orLongRun(fc.oneof(header, fc.string({ unit: "binary" }))), (disposition) => {
      const name = filenameOf(disposition);
      if (name === undefined) return;
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}\p{Bidi_Control}<>:"|?*]|^$|^[.\s]|[.\s]$/u);
      expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    });
  });

  property("does not change if it is made safe again", () =>
    fc.property(fc.array(part), (parts) => {
      const name = parts.join("");
      fc.pre(Buffer.byteLength(name) < 200);
      const once = safeFilename(name);
      expect(once && safeFilename(once)).toBe(once);
    }),
  );
});

/** Selects the positions to escape. */
type Choices = readonly boolean[];

/** How a name is written by the grammar of RFC 6266 and RFC 8187, or `undefined` if it cannot be written that way. */
const asToken = (name: string) => (/^[\w!#$&+.^`|~-]+$/.test(name) ? `filename=${name}` : undefined);
const asQuoted = (name: string, choices: Choices) =>
  `filename="${[...name].map((one, at) => (/["\\]/.test(one) || choices[at] ? `\\${one}` : one)).join("")}"`;
const asUtf8 = (name: string, choices: Choices) =>
  `filename*=UTF-8''${percentEncoded(Buffer.from(name), choices)}`;
const asLatin1 = (name: string, choices: Choices) =>
  /^[\0-\xff]*$/.test(name)
    ? `filename*=ISO-8859-1'en'${percentEncoded(Buffer.from(name, "latin1"), choices)}`
    : undefined;

/** Percent-encodes what RFC 8187 requires, and other bytes by choice, with digits of either case. */
function percentEncoded(bytes: Uint8Array, choices: Choices): string {
  return Array.from(bytes, (byte, at) => {
    const character = String.fromCharCode(byte);
    if (/^[A-Za-z0-9!#$&+.^_`|~-]$/.test(character) && !choices[at]) return character;
    const hex = byte.toString(16).padStart(2, "0");
    return `%${choices[at + 1] ? hex : hex.toUpperCase()}`;
  }).join("");
}

describe("Any safe name", () => {
  const choices = fc.array(fc.boolean(), { maxLength: 40 });
  const character = fc.oneof(
    fc.constantFrom(..."aZ09 .-_'()+,;=@[]{}~!#$%&^`", "é", "€", "請", "🧾", "\u00a0", "e\u0301"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  );
  const names = fc
    .string({ unit: character, minLength: 1, maxLength: 30 })
    .map((name) => safeFilename(name))
    .filter((name) => name !== undefined);

  property("is parsed in every notation of the RFCs, among other parameters", () => {
    const decoys = ["size=10", 'x="; filename=decoy.pdf"', "filename2=decoy", 'name="decoy\\""'];
    const others = fc.array(fc.constantFrom(...decoys));
    const spelling = fc.constantFrom(asToken, asQuoted, asUtf8, asLatin1);
    const style = fc.tuple(fc.constantFrom("attachment", "inline"), fc.constantFrom(";", "; ", " ; ", ";\t"));
    return fc.property(names, spelling, choices, style, others, others, (name, spell, chosen, ...rest) => {
      const [[type, separator], before, after] = rest;
      const parameter = spell(name, chosen);
      fc.pre(parameter !== undefined);
      expect(filenameOf([type, ...before, parameter, ...after].join(separator))).toBe(name);
    });
  });

  property("in filename* takes precedence over filename, in any order", () =>
    fc.property(names, names, choices, fc.boolean(), (name, other, chosen, isFirst) => {
      const parameters = [asUtf8(name, chosen), asQuoted(other, chosen)];
      const ordered = isFirst ? parameters : parameters.toReversed();
      expect(filenameOf(["attachment", ...ordered].join("; "))).toBe(name);
    }),
  );
});
