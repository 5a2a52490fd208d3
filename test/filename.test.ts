import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filenameOf } from "../src/document/filename.ts";
import { safeFilename } from "../src/files/filenames.ts";
import { orLongRun, property, slowProperty } from "./support/fuzz.ts";

/** What a name may be made of that wants to be more than a name. */
const hostilePart = fc.oneof(
  fc.constantFrom(
    "..",
    "/",
    "\\",
    "\0",
    "\u202e",
    "%2e",
    "%2F",
    "%5c",
    "%00",
    '"',
    "''",
    "UTF-8''",
    "CON",
    " ",
    ".",
  ),
  fc.string({ unit: "binary", maxLength: 9 }),
  fc.nat(300).map((length) => "x".repeat(length)),
  fc.string({ unit: "binary", maxLength: 9 }).map(encodeURIComponent),
);
const hostileName = fc.array(hostilePart).map((parts) => parts.join(""));

describe("the examples of the RFCs", () => {
  it.each([
    // RFC 6266, section 5 and appendix D
    ["Attachment; filename=example.html", "example.html"],
    ['INLINE; FILENAME= "an example.html"', "an example.html"],
    ["attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"],
    ["attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"],
    // RFC 8187, section 3.2.3
    ["x; filename*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "£ and € rates"],
    ["x; filename*=iso-8859-1'en'%A3%20rates", "£ rates"],
  ])("%s", (disposition, expected) => {
    expect(filenameOf(disposition)).toBe(expected);
  });
});

describe("reading the header", () => {
  it.each<[string, string | undefined, string | undefined]>([
    ["no header", undefined, undefined],
    ["an empty header", "", undefined],
    ["no parameter", "attachment", undefined],
    ["an empty name", 'attachment; filename=""', undefined],
    ["an empty token", "attachment; filename=", undefined],
    ["no type", 'filename="a.pdf"', undefined],
    ["spaces around the equals sign", 'attachment ; filename = "a.pdf"', "a.pdf"],
    ["no space after the semicolon", "attachment;filename=a.pdf", "a.pdf"],
    ["escaped quotes", 'attachment; filename="the \\"best\\".pdf"', "the _best_.pdf"],
    ["an escaped backslash, which separates folders", 'attachment; filename="a\\\\b.pdf"', "b.pdf"],
    ["a semicolon inside quotes", 'attachment; filename="a;b.pdf"', "a;b.pdf"],
    ["a decoy inside another value", 'attachment; x="; filename=evil.pdf"; filename="good.pdf"', "good.pdf"],
    [
      "a decoy in the name of another parameter",
      "attachment; xfilename=evil.pdf; filename=good.pdf",
      "good.pdf",
    ],
    ["an unclosed quote", 'attachment; filename="a.pdf', "_a.pdf"],
    ["the same name twice", "attachment; filename=a.pdf; filename=b.pdf", "a.pdf"],
    ["filename* first and last", "attachment; filename*=UTF-8''b.pdf; filename=a.pdf", "b.pdf"],
    ["an unknown character set", "attachment; filename=a.pdf; filename*=utf-16''b.pdf", "a.pdf"],
    [
      "a character set that only ends like one",
      "attachment; filename=a.pdf; filename*=xutf-8''b.pdf",
      "a.pdf",
    ],
    [
      "a character set that only begins like one",
      "attachment; filename=a.pdf; filename*=utf-80''b.pdf",
      "a.pdf",
    ],
    ["ISO-8859-15, which is another", "attachment; filename=a.pdf; filename*=iso-8859-15''b.pdf", "a.pdf"],
    ["a set of somebody's own", "attachment; filename=a.pdf; filename*=x-iso-8859-1''b.pdf", "a.pdf"],
    ["malformed percent-encoding", "attachment; filename=a.pdf; filename*=UTF-8''%ff%zz", "a.pdf"],
    ["bytes that are no UTF-8", "attachment; filename=a.pdf; filename*=UTF-8''%e2%82", "a.pdf"],
    ["no quotes in filename*", "attachment; filename=a.pdf; filename*=b.pdf", "a.pdf"],
    [
      "a filename* of which nothing is left",
      "attachment; filename=a.pdf; filename*=UTF-8''%2e%2e%2f",
      "a.pdf",
    ],
    ["a percent sign in the plain name, which is no encoding", "attachment; filename=a%20b.pdf", "a%20b.pdf"],
    ["filename* alone, malformed", "attachment; filename*=UTF-8''%", undefined],
  ])("%s", (_, disposition, expected) => {
    expect(filenameOf(disposition)).toBe(expected);
  });
});

describe("the name is bare and safe to save under", () => {
  const plain = (name: string) => filenameOf(`attachment; filename="${name.replace(/["\\]/g, "\\$&")}"`);
  const extended = (name: string) => filenameOf(`attachment; filename*=UTF-8''${encodeURIComponent(name)}`);

  it.each<[string, string | undefined]>([
    ["../../etc/passwd", "passwd"],
    ["/etc/passwd", "passwd"],
    ["..\\..\\windows\\win.ini", "win.ini"],
    ["C:\\evil.pdf", "evil.pdf"],
    ["C:evil.pdf", "C_evil.pdf"],
    ["\\\\server\\share\\a.pdf", "a.pdf"],
    ["a.pdf:stream", "a.pdf_stream"],
    ["a/", undefined],
    [".", undefined],
    ["..", undefined],
    [". . .", undefined],
    ["   ", undefined],
    ["..pdf", "pdf"],
    [".bashrc", "bashrc"],
    [" a.pdf. ", "a.pdf"],
    ["a<b>|c?*.pdf", "a_b__c__.pdf"],
  ])("%j as %j", (name, expected) => {
    expect(plain(name)).toBe(expected);
    expect(extended(name)).toBe(expected);
  });

  it.each([
    ["a NUL", "a\0b.pdf"],
    ["line breaks", "a\r\nb.pdf"],
    ["DEL and C1 controls", "a\x7f\x85b.pdf"],
    ["a right-to-left override, which disguises an extension", "a\u202efdp.exe"],
    ["direction isolates and marks", "a\u2066\u2069\u200e\u200f\u061cb.pdf"],
    ["line and paragraph separators", "a\u2028\u2029b.pdf"],
  ])("without %s", (_, name) => {
    expect(extended(name)).toMatch(/^[a-z._]+$/);
  });

  it.each(["CON", "con.pdf", "NUL", "nul.tar.gz", "Aux.pdf", "PRN.", "COM1", "lpt9.pdf"])(
    "not as the Windows device %s",
    (name) => {
      expect(plain(name)).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
      expect(plain(name)).toBeDefined();
    },
  );

  it.each(["console.pdf", "nullable.pdf", "com.pdf", "com10.pdf", "auxiliary"])(
    "but as %s, which is none",
    (name) => {
      expect(plain(name)).toBe(name);
    },
  );

  it.each(["x", "ü", "請", "🧾"])(
    "short enough for every file system, whole, and with its extension: %s…",
    (unit) => {
      for (const name of [
        `${unit.repeat(400)}.pdf`,
        `x${unit.repeat(400)}.pdf`,
        `${unit.repeat(300)} ${unit}.pdf`,
      ]) {
        const bare = extended(name) ?? "";
        expect(Buffer.byteLength(bare)).toBeLessThanOrEqual(255);
        expect(bare).toMatch(/^[^\s]+.*[^\s.]\.pdf$/u);
        expect(bare).not.toMatch(/\p{Surrogate}/u);
      }
    },
  );

  property("whatever the header says", () => {
    const header = fc
      .tuple(
        fc.constantFrom("filename=", 'filename="', "filename*=UTF-8''", "filename*=iso-8859-1''"),
        fc.array(hostilePart),
      )
      .map(([start, parts]) => `attachment; ${start}${parts.join("")}`);
    return fc.property(orLongRun(fc.oneof(header, fc.string({ unit: "binary" }))), (disposition) => {
      const name = filenameOf(disposition);
      if (name === undefined) return;
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}\p{Bidi_Control}<>:"|?*]|^$|^[.\s]|[.\s]$/u);
      expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    });
  });

  it("in a time that grows no faster than the header", () => {
    const spaces = " ".repeat(64_000);
    const before = process.cpuUsage();
    for (const name of [`a${spaces}b`, spaces, "a; ".repeat(20_000), '"\\'.repeat(30_000)]) plain(name);
    filenameOf(`attachment${";".repeat(30_000)}${spaces}=`);
    // Measured: 10 ms; and 5 s of the square of it.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});

type Dice = readonly boolean[];

/** The spellings of a name that RFC 6266 and RFC 8187 allow, each written by their grammar, where it can hold it. */
const asToken = (name: string) => (/^[\w!#$&+.^`|~-]+$/.test(name) ? `filename=${name}` : undefined);
const asQuoted = (name: string, dice: Dice) =>
  `filename="${[...name].map((one, at) => (/["\\]/.test(one) || dice[at] ? `\\${one}` : one)).join("")}"`;
const asUtf8 = (name: string, dice: Dice) => `filename*=UTF-8''${percentEncoded(Buffer.from(name), dice)}`;
const asLatin1 = (name: string, dice: Dice) =>
  /^[\0-\xff]*$/.test(name)
    ? `filename*=ISO-8859-1'en'${percentEncoded(Buffer.from(name, "latin1"), dice)}`
    : undefined;

/** Percent-encodes bytes as RFC 8187 has it; what need not be encoded is where the dice say so, in either case. */
function percentEncoded(bytes: Uint8Array, dice: Dice): string {
  return Array.from(bytes, (byte, at) => {
    const character = String.fromCharCode(byte);
    const hex = byte.toString(16).padStart(2, "0");
    if (/^[A-Za-z0-9!#$&+.^_`|~-]$/.test(character) && !dice[at]) return character;
    return `%${dice[at + 1] ? hex : hex.toUpperCase()}`;
  }).join("");
}

describe("any name", () => {
  const dice = fc.array(fc.boolean(), { maxLength: 40 });
  const character = fc.oneof(
    fc.constantFrom(..."aZ09 .-_'()+,;=@[]{}~!#$%&^`"),
    fc.constantFrom("é", "ü", "€", "請", "🧾", "\u00a0", "e\u0301"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  );
  const safeNames = fc
    .string({ unit: character, minLength: 1, maxLength: 30 })
    .map((name) => safeFilename(name))
    .filter((name) => name !== undefined);
  const decoy = fc.constantFrom(
    "size=10",
    'x="; filename=decoy.pdf"',
    "filename2=decoy",
    'name="decoy\\""',
    "creation-date=x",
  );

  property(
    "that is safe is read as it was meant, in every spelling of the RFCs, among other parameters",
    () => {
      const separator = fc.constantFrom(";", "; ", " ; ", ";\t");
      const type = fc.constantFrom("attachment", "inline", "x-other");
      const spelling = fc.constantFrom(asToken, asQuoted, asUtf8, asLatin1);
      return fc.property(
        safeNames,
        spelling,
        dice,
        type,
        separator,
        fc.array(decoy),
        fc.array(decoy),
        (name, spell, throws, kind, between, before, after) => {
          const parameter = spell(name, throws);
          fc.pre(parameter !== undefined);
          const disposition = [kind, ...before, parameter, ...after].join(between);
          expect(filenameOf(disposition)).toBe(name);
        },
      );
    },
  );

  property("in filename* goes before any in filename, whichever comes first", () =>
    fc.property(safeNames, safeNames, dice, fc.boolean(), (name, other, throws, isFirst) => {
      const parameters = [asUtf8(name, throws), asQuoted(other, throws)];
      const ordered = isFirst ? parameters : parameters.toReversed();
      expect(filenameOf(["attachment", ...ordered].join("; "))).toBe(name);
    }),
  );

  property("that needs no cut is made safe once and for all", () =>
    fc.property(hostileName, (name) => {
      fc.pre(Buffer.byteLength(name) < 200);
      const once = safeFilename(name);
      expect(once && safeFilename(once)).toBe(once);
    }),
  );
});

describe("a header of 64 KiB", () => {
  const unit = fc.oneof(
    fc.constantFrom(
      " ",
      "\t",
      ";",
      "=",
      '"',
      "\\",
      "%",
      "'",
      "*",
      ".",
      "a",
      '\\"',
      "; ",
      "; a",
      "; a=",
      '; a="',
      ";filename=",
      "%20",
      ". ",
      "é",
    ),
    fc.string({ unit: fc.constantFrom(..." ;=\"\\%'*.a\t"), minLength: 1, maxLength: 6 }),
  );
  const start = fc.constantFrom(
    "",
    "attachment",
    "attachment;",
    "; filename=",
    '; filename="',
    "; filename*=UTF-8''",
    "; filename*=ISO-8859-1'",
    "; filename*='",
  );
  const end = fc.constantFrom("", '"', ";", "=", "x", '"; filename=a', "%", "'");

  slowProperty("costs a time that grows no faster than its length, whatever is repeated in it", () =>
    fc.property(start, unit, fc.option(unit, { nil: "" }), end, (before, one, other, after) => {
      const half = 32 * 1024;
      const long = one.repeat(half / one.length) + (other || one).repeat(half / (other || one).length);
      const started = process.cpuUsage();
      filenameOf(`${before}${long}${after}`);
      // Measured: 5 ms at most; and seconds of the square of it.
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
    }),
  );
});
