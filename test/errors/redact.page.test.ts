import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redact.ts";
import { nameOfError } from "../../src/errors/value-kinds.ts";
import { property } from "../support/fuzz.ts";

const key = "sk/l1ve+K3Y==";
const iban = "GB33BUKB20201555555555";
const note = 'say "hi"\n\\o/';
const name = "María Łoś of Kent, 7B";
const values = { total: "£1,000,000", iban, count: 41_972, note, paid: true, id: "abc", name };
let redactor: Redactor;

// A redactor caches the words of the values.
beforeEach(() => {
  redactor = new Redactor(key, JSON.stringify(values));
});

/** Redacts a text that quotes a value. */
function quoteAbout(value: unknown, text: string): string {
  return new Redactor(undefined, JSON.stringify({ value })).quote(text, 500);
}

describe("Quoted text", () => {
  it.each([
    ["the key", `invalid key ${key}.`, "invalid key [redacted]."],
    ["a word from the key", "a key like L1VE", "a key like [redacted]"],
    ["a word from a value", `no account ${iban} here`, "no account [redacted] here"],
    ["JSON-escaped words from a value", '"Mar\\u00eda \\u0141o\\u015b"', '"[redacted] [redacted]"'],
    ["a truncated value at the end of the text", "GB33BUK", "[redacted]"],
  ])("does not contain %s", (_, text, expected) => {
    expect(redactor.quote(text, 500)).toBe(expected);
  });

  it("does not contain base64-encoded values", () => {
    const text = Buffer.from(JSON.stringify(values)).toString("base64");
    expect(redactor.quote(`is ${text}`, 500)).toMatch(/^is [^a-z]*(\[redacted\]\W*)+$/i);
  });

  it.each([
    ["property names", "total iban count", "total iban count"],
    ["spaces instead of escapes", String.raw`a\nb\\tc&nbsp;d%ffe`, "a b c d e"],
    ["spaces instead of control characters", "\n a\r\n\tb\0c\t", "a b c"],
  ])("contains %s", (_, text, expected) => {
    expect(redactor.quote(text, 500)).toBe(expected);
  });

  it("does not contain the key of any attempt", () => {
    const both = new Redactor("later-key", "{}", new Redactor("first-key", "{}"));
    expect(both.withoutKey("later%2Dkey first-key")).toBe("[redacted] [redacted]");
  });

  it("is truncated to the given length", () => {
    expect(redactor.quote("word ".repeat(1_000), 20)).toBe("word word word word ");
  });

  it("is created from at most the first 2n + 24 characters, where n is the given length", () => {
    expect(redactor.quote(`${" ".repeat(63)}x late`, 20)).toBe("x");
    expect(redactor.quote(`${" ".repeat(64)}x late`, 20)).toBe("");
  });

  it("does not contain words from nested values", () => {
    const deep = new Redactor(undefined, '{"a":[{"b":{"c":["deeply"]}}],"__proto__":{"d":"hidden"}}');
    expect(deep.quote("deeply hidden", 100)).toBe("[redacted] [redacted]");
  });

  it("is unchanged if neither a key nor values were sent", () => {
    expect(new Redactor(undefined, "{}").quote("undefined was here", 100)).toBe("undefined was here");
  });

  it("is redacted in linear time", () => {
    // Quadratic time for 1 MB took 55 s, which is longer than the timeout of a test.
    const lines = Array.from({ length: 20_000 }, (_, at) => `line number${at} of ${"\\".repeat(at % 40)}!`);
    const large = new Redactor(key, JSON.stringify({ lines, note: "\\/%&".repeat(5_000) }));
    for (const run of ["\\", "/", "%", "&", "\\u005c", " ", "&#"]) large.quote(run.repeat(60_000), 500);
    large.quote(lines.join("\n"), 60_000);
    const ordinary = new Redactor(key, JSON.stringify({ text: "a b the cat ".repeat(90_000) }));
    expect(ordinary.quote("no dog and no cat", 100)).toBe("no dog and no cat");
    const alike = Array.from({ length: 50_000 }, (_, number) => `Li W${number} x`);
    expect(quoteAbout(alike, "Li W49999 x")).toBe("[redacted]");
  });

  property("does not contain words of four or more letters from values, at any position", () => {
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

describe("A value with short words", () => {
  it.each([
    ["Li Wei", "Li Wei is no address, nor is Li Weiss", "[redacted] is no address, nor is Li Weiss"],
    ["李 明", "received 李 明", "received [redacted]"],
    [1.5, "received 1.5, version 11.5", "received [redacted], version 11.5"],
    [["Ann B", "B Lee"], "Ann B Lee", "[redacted]"],
    [["x", "y"], "the axes x, y", "the axes x, y"],
  ])("is redacted only as a whole phrase: %j in %j", (value, text, left) => {
    expect(quoteAbout(value, text)).toBe(left);
  });
});

it.each([
  "an additional array cannot be between any blank characters",
  "the currency of a customer contains a default digit in each document",
  "your included sizes are missing, which should be shorter",
])('Ordinary words in error messages are not redacted even if they are template values: "%s"', (refusal) => {
  expect(quoteAbout(refusal.match(/[a-z]+/g), refusal)).toBe(refusal);
});

describe("An ID or name", () => {
  it.each([
    ["a request ID", "id_0123456789abcdef0123456789abcdef"],
    ["a string of 10,000 characters", "x ".repeat(5_000)],
  ])("is unchanged if it contains no secret: %s", (_, id) => {
    expect(redactor.withoutSecrets(id)).toBe(id);
  });

  it.each([
    [`req ${key}`, "req [redacted]"],
    ["of Mar%C3%ADa", "of [redacted]"],
    [`${iban} ${"x ".repeat(300)}`, `[redacted] ${"x ".repeat(94)}x`],
    ["x ".repeat(5_001), "x ".repeat(100)],
  ])("is redacted if it contains a secret, and truncated if it is too long (row %#)", (id, left) => {
    expect(redactor.withoutSecrets(id)).toBe(left);
  });

  it("is redacted even if it ends with a Greek sigma", () => {
    const greek = new Redactor(undefined, JSON.stringify(["ΟΔΟΣ.ΑΒΓΔ"]));
    expect(greek.withoutSecrets("ΟΔΟΣ")).toBe("[redacted]");
  });
});

it("Redactor.knows() returns true only for the current key", () => {
  expect([key, "another", undefined].map((other) => redactor.knows(other))).toEqual([true, false, false]);
  expect(new Redactor(undefined, "{}").knows(undefined)).toBe(true);
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

  it.each([
    ["a key with capital letters", new Redactor("SK_live-0123456789", "{}"), "x-sk_live-0123456789", []],
    ["a key of 8 characters", new Redactor("k1234567", "{}"), "x-k1234567", []],
    ["a key of only 7 characters (header kept)", new Redactor("k123456", "{}"), "x-k123456", ["x-k123456"]],
    ["a previous key", new Redactor("later-key", "{}", new Redactor("first-key", "{}")), "first-key", []],
  ])(
    "do not include a header whose name contains a key of 8 or more characters: %s",
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
