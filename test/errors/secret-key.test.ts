import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redact.ts";
import { property } from "../support/fuzz.ts";

/** Replaces every occurrence of the key with `*`. */
function replaceKey(text: string, secret: string): string {
  return new Redactor(secret, "{}").withoutKey(text).replaceAll("[redacted]", "*");
}

const hex = (code: number) => code.toString(16).padStart(2, "0");
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding);

/** The escapes of a character, by its code. */
const escapes = {
  json: (code: number) => `\\u00${hex(code)}`,
  url: (code: number) => `%${hex(code)}`,
  urlTwice: (code: number) => `%25${hex(code)}`,
  html: (code: number) => `&#x${hex(code)};`,
  decimal: (code: number) => `&#${code};`,
  padded: (code: number) => `&#x0000${hex(code)};`,
  unended: (code: number) => `&#x0000000000000${hex(code)}`,
};
type Escape = keyof typeof escapes;

function escaped(text: string, kind: Escape, which = /./gs): string {
  return text.replace(which, (one) => escapes[kind](one.charCodeAt(0)));
}

describe("A key with special characters", () => {
  const key = `k&l<m>n"o'p/q+r=s\\t!u*v(w)x~y\`z`;

  it.each([
    ["plain text", key],
    ["JSON.stringify()", json(key)],
    ["PHP's json_encode()", json(key).replaceAll("/", "\\/")],
    ["JSON in HTML", escaped(json(key), "json", /[<>&'+=]/g)],
    ...(Object.keys(escapes) as Escape[]).map((way) => [`\`${way}\` escapes`, escaped(key, way)]),
    [
      "HTML with names of characters",
      "k&amp;l&lt;m&gt;n&quot;o&apos;p&sol;q&plus;r&equals;s&bsol;t!u*v(w)x&tilde;y&grave;z",
    ],
    ["encodeURIComponent() twice", encodeURIComponent(encodeURIComponent(key))],
    ["URL encoding after a byte that is not UTF-8", `%ff${escaped(key, "url")}`],
    ["HTML escapes in a URL in JSON", encodeURIComponent(escaped(key, "decimal")).replaceAll("%", "\\u0025")],
    ["hexadecimal", encoded(key, "hex")],
    ["uppercase hexadecimal", encoded(key, "hex").toUpperCase()],
    ["base64", encoded(key, "base64")],
    ["base64 without padding", encoded(key, "base64").replaceAll("=", "")],
    ["base64url", encoded(key, "base64url")],
  ])("is redacted in every encoding: %s", (_, spelled) => {
    for (const around of ['"', ""]) {
      expect(replaceKey(around + spelled + around, key).replace("\ufffd", "")).toBe(`${around}*${around}`);
    }
  });

  it.each(["", "a", "ab", "abc"])("is redacted in base64-encoded text that begins with %j", (before) => {
    for (const encoding of ["base64", "base64url"] as const) {
      const safe = replaceKey(encoded(`${before}API-Key ${key} and more`, encoding), key);
      expect(safe).toContain("*");
      expect(safe).not.toContain(encoded(key, encoding).slice(4, 12));
      expect(Buffer.from(safe.replace("*", ""), encoding).toString()).not.toContain(key.slice(2, 8));
    }
  });

  it("is redacted with the other escapes in the text decoded, if the key itself has escapes", () => {
    expect(replaceKey(`{"a":"%41","key":"${json(key)}"}`, key)).toBe('{"a":"A","key":"*"}');
  });

  it("is hidden with the whole text if the text is escaped too often", () => {
    const escapedOften = `%${"25".repeat(20)}41`;
    expect(replaceKey(escapedOften, key)).toBe("*");
  });

  it("is redacted without changing the surrounding text", () => {
    const around = String.raw`C:\new\tmp "a\"b" 100% &amp; %41 \u0041 &#65;`;
    expect(replaceKey(`${around} ${key} ${around}`, key)).toBe(`${around} * ${around}`);
    expect(replaceKey(around, key)).toBe(around);
  });
});

it.each<[string, (text: string) => string, number]>([
  ["plain text", (text) => text, 4],
  ["JSON escapes", (text) => escaped(text, "json"), 24],
  ["numeric HTML escapes", (text) => escaped(text, "decimal"), 24],
  ["base64", (text) => encoded(text, "base64"), 8],
])("A key that is truncated at the end of a string is redacted in any encoding: %s", (_, spell, shortest) => {
  const secret = "sk_live_51H8abcdefgh";
  const spelled = spell(secret);
  for (let length = shortest; length < spelled.length; length++) {
    expect(replaceKey(`key: ${spelled.slice(0, length)}`, secret)).toBe("key: *");
  }
});

it.each([
  ['{"key":"test"}', '{"key":"*"}'],
  ["API-Key test", "API-Key *"],
  ["\\u0074est", "*"],
  [encoded("test", "hex"), "*"],
  [encoded("test", "base64"), "*"],
  ["the test: testing a contest", "the *: *ing a con*"],
  ["tes", "tes"],
])("A key of four characters is redacted, even within a word: `%s`", (text, safe) => {
  expect(replaceKey(text, "test")).toBe(safe);
});

it("A key of three characters is not redacted, because it is part of every text", () => {
  expect(replaceKey("key, keys, hockey", "key")).toBe("key, keys, hockey");
});

it.each([
  ["in base64url if the encoded key has `-` and `_`", encoded("key~~~???>>>", "base64url"), "key~~~???>>>"],
  ["in hex even if the key contains a tab", encoded("Bearer\tsecret-token", "hex"), "Bearer\tsecret-token"],
])("A key is redacted %s", (_, text, secret) => {
  expect(replaceKey(text, secret)).toBe("*");
});

it("A key is redacted even if its first character is also the end of an escape", () => {
  expect(replaceKey("%41b3c5d7e9", "1b3c5d7e9")).toBe("%4*");
});

describe("Any key", () => {
  const keysOf = (characters: string) =>
    fc.string({ unit: fc.constantFrom(...characters), minLength: 8, maxLength: 40 });
  const keys = keysOf("abcXYZ0189+/=-_.:&\\%\"'<");
  // Characters that do not occur in an encoding.
  const around = fc.string({ unit: fc.constantFrom(..." ,\n;!()"), maxLength: 12 });
  const kinds = fc.constantFrom<Escape | "">("", "json", "url", "urlTwice", "html", "decimal");
  const mixed = fc.array(kinds, { minLength: 40, maxLength: 40 });
  const whole = fc.constantFrom<BufferEncoding>("hex", "base64", "base64url");

  /** Escapes some characters of a key, and all characters that could begin an escape. */
  function escapeSome(key: string, chosen: readonly (Escape | "")[]): string {
    return Array.from(key, (one, at) =>
      escaped(one, chosen[at] || "url", chosen[at] ? /./gs : /[\\%&]/g),
    ).join("");
  }

  property("is redacted at every occurrence, whichever of its characters are escaped", () =>
    fc.property(keys, fc.array(fc.tuple(fc.oneof(mixed, whole), around), { maxLength: 4 }), (key, places) => {
      const text = (spell: (way: (typeof places)[number][0]) => string) =>
        places.map(([way, after]) => `(${spell(way)})${after}`).join("");
      const spelled = text((way) => (typeof way === "string" ? encoded(key, way) : escapeSome(key, way)));
      expect(replaceKey(spelled, key)).toBe(text(() => "*"));
    }),
  );
});
