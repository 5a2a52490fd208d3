import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redact.ts";
import { nameOfError } from "../../src/errors/value-kinds.ts";
import { anyCharacter, property } from "../support/fuzz.ts";

const key = "sk/l1ve+K3Y==";
const iban = "GB33BUKB20201555555555";
const note = 'say "hi"\n\\o/';
const name = "María Łoś of Kent, 7B";
const values = { total: "£1,000,000", iban, count: 41_972, note, paid: true, id: "abc", name };
let redactor: Redactor;

// A redactor keeps the values that it has read.
beforeEach(() => {
  redactor = new Redactor(key, JSON.stringify(values));
});

/** Redacts a text that quotes a value. */
function quoteAbout(value: unknown, text: string, maxLength = 500): string {
  return new Redactor(undefined, JSON.stringify({ value })).quote(text, maxLength);
}

describe("Quoted text", () => {
  it.each([
    ["the key", `invalid key ${key}.`, "invalid key [redacted]."],
    ["the key in another case", `a key like ${key.toLowerCase()}`, "a key like [redacted]"],
    ["a value", `no account ${iban} here`, "no account [redacted] here"],
    ["a number", "41972 is too large", "[redacted] is too large"],
    ["a value in another case", name.toUpperCase(), "[redacted]"],
    ["a value within a word", `x${iban}y`, "x[redacted]y"],
    ["a JSON-escaped value", JSON.stringify({ note }), '{"note":"[redacted]"}'],
    ["a JSON-escaped value in ASCII", '"Mar\\u00eda \\u0141o\\u015b of Kent, 7B"', '"[redacted]"'],
    ["a URL-encoded value", encodeURIComponent(name), "[redacted]"],
    ["a value from a form", new URLSearchParams({ name }).toString(), "name=[redacted]"],
    ["a value with HTML's named characters", "Mar&iacute;a &#321;o&#x15B; of Kent, 7B", "[redacted]"],
    ["a value that is escaped twice", encodeURIComponent(JSON.stringify(note)), '"[redacted]"'],
    ["a value in decomposed Unicode", name.normalize("NFD"), "[redacted]"],
    ["a value with other white space", name.replaceAll(" ", "\n\t"), "[redacted]"],
    ["a value that ends within a word", "María Łoś of Ke", "[redacted]"],
    ["a value that ends with an ellipsis", 'got "María Łoś…" for name', 'got "[redacted]…" for name'],
    ["the beginning of a value before three dots", "GB33BUKB...", "[redacted]..."],
  ])("does not contain %s", (_, text, expected) => {
    expect(redactor.quote(text, 500)).toBe(expected);
  });

  it.each([
    ["words of a longer value", "of Kent, María is missing", "of Kent, María is missing"],
    ["property names", "total iban count", "total iban count"],
    ["values of up to three characters", "abc", "abc"],
    ["booleans", "true", "true"],
    ["spaces instead of escapes", String.raw`a\nb\\tc&nbsp;d%ffe`, "a b c d e"],
    ["spaces instead of control characters", "\n a\r\n\tb\0c\t", "a b c"],
    ["spaces instead of impossible characters", "a&#1114112;b&#x110000;c&nothing;d", "a b c d"],
    ["backslashes that escape nothing", String.raw`C:\Users\\Kim`, String.raw`C:\Users\Kim`],
  ])("contains %s", (_, text, expected) => {
    expect(redactor.quote(text, 500)).toBe(expected);
  });

  it.each([
    [1234567, "1,234,567", "[redacted]"],
    [1234567, "1.234.567,00 EUR", "[redacted] EUR"],
    [1234567.5, "1 234 567.50", "[redacted]"],
    [1234567.5, "1’234’567.5", "[redacted]"],
    [7654321, "1,234,567", "1,234,567"],
    [1234, "1,2,3,4", "1,2,3,4"],
    [-1234567.5, "-1,234,567.50", "-[redacted]"],
    [1.234, "1.2340", "[redacted]"],
    ["1234567.50", "1,234,567.5", "[redacted]"],
    ["1,234,567.50", "1234567.5", "[redacted]"],
    ["£1,000,000", "1000000.00 GBP", "[redacted] GBP"],
    ["-1.234.567,00 €", "-1234567", "-[redacted]"],
    ["1,234,567 EUR", "1234567", "1234567"],
  ])("does not contain the number %j, even with separators: %s", (value, text, expected) => {
    expect(quoteAbout(value, text)).toBe(expected);
  });

  it.each([
    ["Li Wei", "Li Wei is no address, nor is Li", "[redacted] is no address, nor is Li"],
    ["李伟", "收到李伟。", "收到[redacted]。"],
    ["김 민수", "김 민수", "[redacted]"],
    [["Ann B", "B Lee"], "Ann B Lee", "[redacted]"],
    [["Anna Smith", "Dear Anna Smith,\nhello"], '"Dear Anna Smith,\\nhello"', '"[redacted]"'],
    [["x", "y"], "the axes x, y", "the axes x, y"],
    ["ΟΔΟΣ", "οδος", "[redacted]"],
    ["ΟΔΟΣ", "ΟΔΟΣΑ", "[redacted]Α"],
    ["İbrahim", "ibrahim", "[redacted]"],
    ["50%25 off \\n", "50%25 off \\n", "[redacted]"],
  ])("contains a mark instead of values, and nothing else is replaced: %j in %j", (value, text, left) => {
    expect(quoteAbout(value, text)).toBe(left);
  });

  it.each([
    ["Template 7 has an image", "data:image/png;base64,iVBORw0K", "Unknown image format."],
    ["20 November 2026", "11 units", "must be a date, such as 2026-11-20 or 2026-11-20T09:30:00Z"],
  ])("keeps hints that share words with the values: %j and %j", (one, other, hint) => {
    expect(quoteAbout([one, other], hint)).toBe(hint);
  });

  it.each([
    [{ zip: 10115, address: "10115 Berlin" }, "address 10115 Berlin", "address [redacted]"],
    [{ year: "2026", born: "2026-11-20" }, "born 2026-11-20", "born [redacted]"],
    [{ b: "1512", a: "+49 1512 3456789" }, "a: +49 1512 3456789", "a: [redacted]"],
    [{ a: 2020, iban: "GB33BUKB 2020 1555" }, "no GB33BUKB 2020 1555 here", "no [redacted] here"],
    [{ a: 1234567, b: "1,234,567 pounds" }, "about 1,234,567 pounds", "about [redacted]"],
  ])("does not contain the rest of a value in which a number occurs: %j", (sent, text, left) => {
    expect(new Redactor(undefined, JSON.stringify(sent)).quote(text, 500)).toBe(left);
  });

  it("does not contain a key of which an earlier key is the beginning", () => {
    const both = new Redactor("first-key-and-more", "{}", new Redactor("first-key", "{}"));
    expect(both.withoutKey("first-key-and-more first-key")).toBe("[redacted] [redacted]");
  });

  it("does not contain the key of any attempt", () => {
    const both = new Redactor("later-key", "{}", new Redactor("first-key", "{}"));
    expect(both.withoutKey("later%2Dkey first-key")).toBe("[redacted] [redacted]");
    expect(both.quote("later%2Dkey FIRST-KEY", 100)).toBe("[redacted] [redacted]");
  });

  it("is truncated to the given length after it is redacted", () => {
    expect(redactor.quote("word ".repeat(1_000), 20)).toBe("word word word word ");
    expect(redactor.quote(`${`${iban} `.repeat(10)}end`, 20)).toBe("[redacted] [redacted]".slice(0, 20));
    expect(redactor.quote(`${" ".repeat(3_990)}x ends late`, 20)).toBe("x ends lat");
  });

  it("is hidden if it is escaped too often", () => {
    expect(redactor.quote(`%${"25".repeat(20)}41`, 500)).toBe("[redacted]");
  });

  it("does not contain values from nested objects", () => {
    const deep = new Redactor(undefined, '{"a":[{"b":{"c":["deeply"]}}],"__proto__":{"d":"hidden"}}');
    expect(deep.quote("deeply hidden", 100)).toBe("[redacted] [redacted]");
  });

  it("is not decoded to remove a key if no key was sent", () => {
    const escapedOften = `%${"25".repeat(20)}41`;
    expect(new Redactor(undefined, "{}").withoutKey(escapedOften)).toBe(escapedOften);
  });

  it("is unchanged if neither a key nor values were sent", () => {
    expect(new Redactor(undefined, "{}").quote("undefined was here", 100)).toBe("undefined was here");
  });

  it("is redacted in linear time", () => {
    // Quadratic time for 1 MB took 55 s, which is longer than the timeout of a test.
    const lines = Array.from({ length: 20_000 }, (_, at) => `line number${at} of ${"\\".repeat(at % 40)}!`);
    const large = new Redactor(key, JSON.stringify({ lines, note: "\\/%&".repeat(5_000) }));
    for (const run of ["\\", "/", "%", "%25", "&", "\\u005c", " ", "&#", "..."])
      large.quote(run.repeat(60_000), 500);
    large.quote(lines.join("\n"), 60_000);
    const alike = Array.from({ length: 50_000 }, (_, number) => `Li W${number} x`);
    expect(quoteAbout(alike, "Li W49999 x")).toBe("[redacted]");
    expect(quoteAbout("a b the cat ".repeat(90_000), "no dog and no cat")).toBe("no dog and no cat");
  });

  it("is hidden if a comparison with the values would take too long", () => {
    const alike = Array.from({ length: 1_400 }, (_, length) => `${"a".repeat(length)}b`);
    expect(quoteAbout(alike, "a".repeat(4_000))).toBe("[redacted]");
  });
});

describe("A long value at the end of the part of a text that is read", () => {
  it.each([1, 4, 5, 100, 3_000])("is redacted if %d of its characters are read", (shown) => {
    const value = `Winterbottom ${"and others ".repeat(900)}`;
    const quoted = quoteAbout(value, `${" ".repeat(4_000 - shown)}${value}`);
    expect(quoted.length < 5 ? "Winterbottom".startsWith(quoted) : quoted === "[redacted]").toBe(true);
  });

  it("is redacted even if the text before it is a word", () => {
    const value = `Winterbottom ${"and others ".repeat(900)}`;
    expect(quoteAbout(value, `${" ".repeat(3_900)}x${value}`)).toBe("x[redacted]");
  });

  it("is redacted even if the text ends within an escape", () => {
    const spelled = `${"\\u0041".repeat(5)}\\u00`;
    expect(quoteAbout("A".repeat(5_000), `${" ".repeat(4_000 - spelled.length)}${spelled}41`)).toBe(
      "[redacted]",
    );
  });
});

describe("Quoted text of random values", () => {
  const unit = fc.oneof(fc.constantFrom(..."abcXYZ019 -_/+=.:&<>\"'\\%#;£éßŁ李\u{1f600}"), anyCharacter);
  const value = fc.string({ unit, minLength: 4, maxLength: 30 });
  const ascii = (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const encodings: Record<string, (text: string) => string> = {
    JSON: (text) => JSON.stringify(text).slice(1, -1),
    "JSON in ASCII": ascii,
    "a URL": encodeURIComponent,
    HTML: (text) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
    "HTML in hexadecimal": (text) =>
      text.replace(/[^a-z0-9 ]/giu, (one) => `&#x${one.codePointAt(0)?.toString(16)};`),
    "HTML with names": (text) =>
      text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;"),
  };
  const nested = fc.array(fc.constantFrom(...Object.values(encodings)), { maxLength: 4 });

  property("does not contain a value, however it was escaped", () =>
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), nested, fc.nat(), (sent, escaping, at) => {
      const wanted = sent[at % sent.length] as string;
      const spelled = escaping.reduce((text, encode) => encode(text), wanted);
      const quoted = new Redactor(undefined, JSON.stringify({ sent, wanted })).quote(
        `got (${spelled}).`,
        4_000,
      );
      const shown = wanted
        .normalize()
        .replace(/[\p{Cc}\s\ufffd]+/gu, " ")
        .trim();
      // What is left of some values after blank characters are removed is too short.
      if (shown.length >= 4 && !/^\p{L}+$/u.test(shown))
        expect(quoted.toLowerCase()).not.toContain(shown.toLowerCase());
      expect(quoted).toMatch(/^got \(.*\)\.$/s);
    }),
  );

  property("does not contain values that are separated by other text", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."ABC01é"), minLength: 4, maxLength: 12 });
    const filler = fc.string({ unit: fc.constantFrom(..."xy .,") });
    const sent = fc.array(letters, { minLength: 1, maxLength: 5 });
    return fc.property(sent, fc.array(filler), (words, around) => {
      const text = around.map((before, at) => `${before} ${words[at % words.length]} `).join("");
      const safe = new Redactor(undefined, JSON.stringify({ words })).quote(text, 10_000);
      for (const word of words) expect(safe).not.toContain(word);
    });
  });
});

describe("Ordinary words in error messages", () => {
  it.each([
    "an array can not be a blank or empty character",
    "the currency of a customer contains a default digit in a document",
    "the included sizes are missing or expected to be an integer",
  ])('are not redacted even if they are template values: "%s"', (refusal) => {
    expect(quoteAbout(refusal.match(/[a-z]+/g), refusal)).toBe(refusal);
  });

  it.each([
    ["part of an ordinary word", { a: "ring" }, "expected a string", "expected a string"],
    ["a property name", { status: "status" }, "Unknown property status.", "Unknown property status."],
    ["two ordinary words", { a: "not found" }, "The template was not found.", "The template was [redacted]."],
    ["part of another word", { a: "date" }, "an update", "an up[redacted]"],
    [
      "a property name with digits",
      { "4111111111111111": "4111111111111111" },
      "4111111111111111",
      "[redacted]",
    ],
    ["a property name with a space", { "Zoë Müller": "Zoë Müller" }, "no Zoë Müller", "no [redacted]"],
  ])("decide whether a value is kept that is %s", (_, sent, text, left) => {
    expect(new Redactor(undefined, JSON.stringify(sent)).quote(text, 500)).toBe(left);
  });
});

describe("An ID or name", () => {
  it.each([
    ["a request ID", "id_0123456789abcdef0123456789abcdef"],
    ["a request ID that shares some characters with a value", "GB33BUKB-2020-4198"],
    ["a string of 4,000 characters", "x ".repeat(2_000)],
  ])("is unchanged if it contains no secret: %s", (_, id) => {
    expect(redactor.withoutSecrets(id)).toBe(id);
  });

  it.each([
    [`req ${key}`, "req [redacted]"],
    [`req-${iban}`, "req-[redacted]"],
    ["of Mar%C3%ADa %c5%81o%c5%9b of Kent, 7B", "of [redacted]"],
    [`${iban} ${"x ".repeat(300)}`, `[redacted] ${"x ".repeat(94)}x`],
    ["x ".repeat(2_001), "x ".repeat(100)],
    [`req-${Buffer.from(key).toString("hex")}`, "req-[redacted]"],
    [`req-${Buffer.from(key).toString("base64url")}`, "req-[redacted]"],
  ])("is redacted if it contains a secret, and truncated if it is too long (row %#)", (id, left) => {
    expect(redactor.withoutSecrets(id)).toBe(left);
  });
});

describe("An ID or name with a key in any encoding", () => {
  const text = (characters: string, minLength = 0) =>
    fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength: 30 });
  const ways = fc.constantFrom<(text: string) => string>(
    String,
    encodeURIComponent,
    ...(["hex", "base64", "base64url"] as const).map(
      (encoding) => (secret: string) => Buffer.from(secret).toString(encoding),
    ),
  );

  property("does not contain a key that is removed from other texts", () =>
    fc.property(
      text("abcXYZ0189+/=-_.:", 8),
      ways,
      text("XYZ01 -_.:/"),
      text("XYZ01 -_.:/"),
      (secret, spell, ...around) => {
        const keyed = new Redactor(secret, '{"total":"0189"}');
        const id = around.join(spell(secret));
        expect(keyed.withoutKey(id)).toContain("[redacted]");
        const safe = keyed.withoutSecrets(id);
        expect(safe).not.toBe(id);
        expect(keyed.withoutKey(safe)).toBe(safe);
      },
    ),
  );
});

describe("Response headers", () => {
  it("do not contain the key and are otherwise unchanged", () => {
    const headers = new Headers({ "x-echo": `API-Key ${key}`, "content-type": "text/html" });
    for (const cookie of ["a=1", `b=${key}`]) headers.append("set-cookie", cookie);
    expect([...redactor.headersWithoutKey(headers)]).toEqual([
      ["content-type", "text/html"],
      ["set-cookie", "a=1"],
      ["set-cookie", "b=[redacted]"],
      ["x-echo", "API-Key [redacted]"],
    ]);
  });

  it.each(["%C5%81", "\\u20ac", "%00"])(
    "are redacted as a whole if the rest of a value is not valid in a header: %s",
    (invalid) => {
      const keyed = new Redactor("my/long+7key==", "{}");
      const echoed = new Headers({
        "x-debug": `auth=my%2Flong%2B7key%3D%3D;user=${invalid}`,
        "x-other": invalid,
      });
      expect([...keyed.headersWithoutKey(echoed)]).toEqual([
        ["x-debug", "[redacted]"],
        ["x-other", invalid],
      ]);
    },
  );

  it.each([
    ["a key with capital letters", new Redactor("SK_live-0123456789", "{}"), "x-sk_live-0123456789", []],
    ["a key of 4 characters", new Redactor("k123", "{}"), "x-k123", []],
    ["a key of only 3 characters (header kept)", new Redactor("k12", "{}"), "x-k12", ["x-k12"]],
    ["a previous key", new Redactor("later-key", "{}", new Redactor("first-key", "{}")), "first-key", []],
    ["a key in hexadecimal", new Redactor("k123", "{}"), "x-6b313233", []],
    ["a key in base64", new Redactor("k123567", "{}"), `x-${btoa("k123567").slice(0, 9).toLowerCase()}`, []],
    ["a key that stands for one space (header kept)", new Redactor("&none;", "{}"), "x-none", ["x-none"]],
    ["a percent-encoded key", new Redactor("k/123", "{}"), "x-k%2f123", []],
  ])(
    "do not include a header whose name contains a key of 4 or more characters: %s",
    (_, safe, header, kept) => {
      const headers = safe.headersWithoutKey(new Headers({ [header]: "1", "x-other": "2" }));
      expect([...headers.keys()]).toEqual([...kept, "x-other"]);
    },
  );
});

it.each<[unknown, string]>([
  [new TypeError(), "TypeError"],
  [new DOMException("", "AbortError"), "AbortError"],
  [Object.assign(new Error("boom"), { name: "my TypeError" }), "Error"],
  [Object.assign(new Error("boom"), { name: `A${"b".repeat(40)}` }), `A${"b".repeat(40)}`],
  [Object.assign(new Error("boom"), { name: `A${"b".repeat(41)}` }), "Error"],
  [Object.assign(new Error("boom"), { name: Object.create(null) }), "Error"],
  ["TypeError", "Error"],
])("nameOfError() returns only names that look like class names (row %#)", (error, name) => {
  expect(nameOfError(error)).toBe(name);
});
