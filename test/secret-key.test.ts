import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Redactor } from "../src/errors/redact.ts";
import { property } from "./support/fuzz.ts";

/** Writes `*` in the place of every key that is found. */
function replaceKey(text: string, secret: string): string {
  return new Redactor(secret, "{}").withoutKey(text).replaceAll("[redacted]", "*");
}

// The search keeps the spellings of the last key. Each test computes those of its own key.
beforeEach(() => {
  replaceKey("", "another-key");
});

/** Every character that somebody escapes, between letters that nobody does. */
const key = `k&l<m>n"o'p/q+r=s\\t!u*v(w)x~y\`z`;

const escapedAlways = (write: (code: number) => string) =>
  Array.from(key, (character) => write(character.charCodeAt(0))).join("");
const hex = (code: number) => code.toString(16).padStart(2, "0");

describe("A key with every character that is escaped somewhere", () => {
  it.each([
    ["as it is", key],
    ["by JSON.stringify", JSON.stringify(key).slice(1, -1)],
    ["by JSON.stringify, twice", JSON.stringify(JSON.stringify(key)).slice(3, -3)],
    ["by PHP's json_encode", JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/")],
    [
      "by JSON in HTML",
      JSON.stringify(key)
        .slice(1, -1)
        .replace(/[<>&'+=]/g, (one) => `\\u00${hex(one.charCodeAt(0))}`),
    ],
    [
      "by ASP.NET, in capitals",
      JSON.stringify(key)
        .slice(1, -1)
        .replace(/[<>&'+=]/g, (one) => `\\u00${hex(one.charCodeAt(0)).toUpperCase()}`),
    ],
    ["by JSON, every character", escapedAlways((code) => `\\u00${hex(code)}`)],
    ["by JavaScript, in hexadecimal", escapedAlways((code) => `\\x${hex(code)}`)],
    ["by JavaScript, in braces", escapedAlways((code) => `\\u{${hex(code)}}`)],
    ["in HTML, by name", `k&amp;l&lt;m&gt;n&quot;o&apos;p&sol;q&plus;r&equals;s\\t!u*v(w)x~y&grave;z`],
    [
      "in HTML, every character by name",
      `k&amp;l&lt;m&gt;n&quot;o&apos;p&sol;q&plus;r&equals;s&bsol;t&excl;u&ast;v&lpar;w&rpar;x&tilde;y&grave;z`,
    ],
    ["by lodash", `k&amp;l&lt;m&gt;n&quot;o&#39;p/q+r=s\\t!u*v(w)x~y\`z`],
    ["by Python", `k&amp;l&lt;m&gt;n&quot;o&#x27;p/q+r=s\\t!u*v(w)x~y\`z`],
    ["in HTML, every character by number", escapedAlways((code) => `&#${code};`)],
    ["in HTML, by number, padded", escapedAlways((code) => `&#x0000${hex(code)};`)],
    ["in HTML, by number, without semicolons", escapedAlways((code) => `&#x0000000000000${hex(code)}`)],
    ["by encodeURIComponent", encodeURIComponent(key)],
    ["by encodeURIComponent, twice", encodeURIComponent(encodeURIComponent(key))],
    ["in a URL, in small letters", encodeURIComponent(key).replace(/%../g, (one) => one.toLowerCase())],
    ["in a URL, every character", escapedAlways((code) => `%${hex(code)}`)],
    ["in a URL, behind a byte that is no UTF-8", `%ff${escapedAlways((code) => `%${hex(code)}`)}`],
    [
      "in JSON of a URL of HTML",
      encodeURIComponent(escapedAlways((code) => `&#${code};`)).replaceAll("%", "\\u0025"),
    ],
    ["in hexadecimal", Buffer.from(key).toString("hex")],
    ["in hexadecimal, in capitals", Buffer.from(key).toString("hex").toUpperCase()],
    ["in base64", Buffer.from(key).toString("base64")],
    ["in base64 without padding", Buffer.from(key).toString("base64").replaceAll("=", "")],
    ["in base64url", Buffer.from(key).toString("base64url")],
    ["in base64, in a URL", encodeURIComponent(Buffer.from(key).toString("base64"))],
  ])("is replaced when it is spelled %s", (_, spelled) => {
    for (const text of [`<${spelled}>`, `"${spelled}"`, spelled]) {
      const [before, after] = text.split(spelled);
      expect(replaceKey(text, key).replace("%ff", "")).toBe(`${before}*${after}`);
    }
  });

  it.each(["", "a", "ab", "abc"])(
    "is replaced in the base64 of a text that holds it, behind %j",
    (before) => {
      const header = `${before}API-Key ${key}`;
      for (const encoding of ["base64", "base64url"] as const) {
        const text = Buffer.from(`${header} and more`).toString(encoding);
        const inner = Buffer.from(key).toString(encoding).slice(4, 12);
        const safe = replaceKey(text, key);
        expect(safe).toContain("*");
        expect(safe).not.toContain(inner);
        expect(Buffer.from(safe.replace("*", ""), encoding).toString()).not.toContain(key.slice(2, 8));
      }
    },
  );
});

describe("A key that the end of a text cuts off", () => {
  const secret = "sk_live_51H8abcdefgh";

  it.each([
    ["as it is", (text: string) => text, 4],
    [
      "escaped in JSON",
      (text: string) => Array.from(text, (one) => `\\u00${hex(one.charCodeAt(0))}`).join(""),
      24,
    ],
    [
      "escaped in a URL",
      (text: string) => Array.from(text, (one) => `%${hex(one.charCodeAt(0))}`).join(""),
      12,
    ],
    [
      "escaped in HTML by number",
      (text: string) => Array.from(text, (one) => `&#${one.charCodeAt(0)};`).join(""),
      24,
    ],
    ["in hexadecimal", (text: string) => Buffer.from(text).toString("hex"), 8],
    ["in base64", (text: string) => Buffer.from(text).toString("base64"), 8],
  ])("is replaced wherever it is cut: %s", (_, spell, shortest) => {
    const spelled = spell(secret);
    for (let length = shortest; length < spelled.length; length++) {
      expect(replaceKey(`key: ${spelled.slice(0, length)}`, secret)).toBe("key: *");
    }
  });
});

describe("A key of less than 8 characters", () => {
  it.each([
    ['{"key":"test"}', '{"key":"*"}'],
    ["API-Key test", "API-Key *"],
    ["?key=test&more", "?key=*&more"],
    ["\\u0074est", "*"],
    ["%74est", "*"],
    [Buffer.from("test").toString("hex"), "*"],
    [Buffer.from("test").toString("base64"), "*"],
    [Buffer.from("test").toString("base64url"), "*"],
    ["the test: testing a contest", "the *: testing a contest"],
    ["tes", "tes"],
  ])("is replaced as a whole word: %s", (text, safe) => {
    expect(replaceKey(text, "test")).toBe(safe);
  });

  it("is not searched for in the base64 of longer texts, whose parts are ordinary words", () => {
    expect(Buffer.from("\0ab").toString("base64")).toContain("Fi");
    expect(replaceKey("Wi-Fi", "ab")).toBe("Wi-Fi");
  });
});

it("A key of 8 characters is replaced in the base64 of a text that holds it", () => {
  const safe = replaceKey(Buffer.from("API-Key 12345678, sent").toString("base64"), "12345678");
  expect(safe).toContain("*");
});

it("A key is replaced in base64url, which has other characters than base64", () => {
  const secret = "key~~~???>>>";
  expect(Buffer.from(secret).toString("base64")).toMatch(/\+.*\/|\/.*\+/);
  expect(replaceKey(Buffer.from(secret).toString("base64url"), secret)).toBe("*");
});

it("A credential with a tab, as a header may have, is replaced in hexadecimal", () => {
  const secret = "Bearer\tsecret-token";
  expect(replaceKey(Buffer.from(secret).toString("hex"), secret)).toBe("*");
});

it("Everything but the key stays as it was written", () => {
  const around = String.raw`C:\new\tmp "a\"b" 100% &amp; %41 \u0041 &#65;`;
  expect(replaceKey(`${around} ${key} ${around}`, key)).toBe(`${around} * ${around}`);
  expect(replaceKey(around, key)).toBe(around);
});

it("The search recomputes the spellings for another key", () => {
  expect(replaceKey("first-key second-key", "first-key")).toBe("* second-key");
  expect(replaceKey("first-key second-key", "second-key")).toBe("first-key *");
});

property("A key is replaced whichever of its characters are escaped, in whichever way", () => {
  const unit = fc.constantFrom(..."abcXYZ0189+/=-_.:&\\%\"'<");
  const keys = fc.string({ unit, minLength: 8, maxLength: 40 });
  const escapes = fc.array(fc.constantFrom("", "json", "url", "url2", "html", "decimal", "js"), {
    minLength: 40,
    maxLength: 40,
  });
  return fc.property(keys, escapes, (secret, ways) => {
    const spelled = Array.from(secret, (character, index) => {
      const code = character.charCodeAt(0);
      switch (ways[index]) {
        case "json":
          return `\\u00${hex(code)}`;
        case "url":
          return `%${hex(code)}`;
        case "url2":
          return `%25${hex(code)}`;
        case "html":
          return `&#x${hex(code)};`;
        case "decimal":
          return `&#${code};`;
        case "js":
          return `\\x${hex(code)}`;
        default:
          // Where some characters are escaped, those that escape are, too.
          return /[\\%&]/.test(character) ? `%${hex(code)}` : character;
      }
    }).join("");
    expect(replaceKey(`(${spelled})`, secret)).toBe("(*)");
  });
});

describe("A key after the beginning of an escape", () => {
  it("is found although its first characters complete that escape", () => {
    expect(replaceKey("%41b3c5d7e9", "1b3c5d7e9")).toBe("%4*");
  });
});
