import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeEscapes, withoutPartialEscape } from "../../src/errors/escapes.ts";
import { property } from "../support/fuzz.ts";

/** Returns the source position of each character of the decoded text, and of its end. */
function decodedPositions(source: string): number[] {
  const { text, sourceIndexOf } = decodeEscapes(source);
  return Array.from({ length: text.length + 1 }, (_, index) => sourceIndexOf(index));
}

it.each([
  ["\\u0041\\\\u0041\\x41\\u{1f600}", "AAA😀"],
  ["%41%C3%A9%e2%82%ac%f0%9f%98%80", "Aé€😀"],
  ["%41%ff%42%c3%43", "A B C"],
  ["a%c0%80b%ed%a0%80c", "a b c"],
  ["&#65;&#x41;&#x00041&#65 &lt;&AMP;&nbsp;", "AAAA <& "],
  ["&#1114112;&#x110000;&#x10ffff;", "  \u{10ffff}"],
  ["a\\nb\\\\tc\\rd", "a b c d"],
  ['\\"\\\\\\"\\/', '""/'],
  ["C:\\\\folder \\o/", "C:\\folder \\o/"],
  ["%252525253c", "%3c"],
  [String.raw`\\\\`, "\\"],
  [String.raw`\\u005cu005cu005cu0041`, "A"],
  ["%4 %g1 \\u12 &; &#; &#x; &toolongname;", "%4 %g1 \\u12 &; &#; &#x; &toolongname;"],
  ["%d0%90%dF%bF%ef%bb%bF%f3%a0%81%81", "А\u07ff\ufeff\u{e0041}"],
  ["%80%bf%f8%7e%7f", "   ~\x7f"],
  ["\\u{00000041}\\u{41}\\u{000000041}", "AA\\u{000000041}"],
  ["&#x000000000000041;&#x0000000000000041;", "A\u00041;"],
  ["&#000000000000065;&#0000000000000065;", "A\u00065;"],
  ["&hyphen;&abcdefg;&a;&LOWBAR;&percnt;", "-&abcdefg;&a;_%"],
  ["\\'\\n\\R\\T|", "'   |"],
])("decodeEscapes() decodes %s", (source, text) => {
  expect(decodeEscapes(source).text).toBe(text);
});

it("decodeEscapes() maps positions in the decoded text to positions in the source", () => {
  const source = "a%2541b\\u0026amp;c";
  expect(decodeEscapes(source).text).toBe("aAb&c");
  expect(decodedPositions(source)).toEqual([0, 1, 6, 7, 17, source.length]);
  expect(decodedPositions("ab")).toEqual([0, 1, 2]);
});

property("decodeEscapes() maps all characters and the end of the text to ascending source positions", () => {
  const unit = fc.constantFrom(...'\\u0041x%c3&#;aé"');
  return fc.property(fc.string({ unit, maxLength: 60 }), (source) => {
    const positions = decodedPositions(source);
    expect(positions.length).toBe(decodeEscapes(source).text.length + 1);
    expect(positions.at(-1)).toBe(source.length);
    expect([...positions].sort((a, b) => a - b)).toEqual(positions);
  });
});

it.each(["\\", "\\u", "\\u004", "\\u{1f600", "\\x", "\\x4", "%", "%4", "&", "&#", "&#x00041", "&lowbar"])(
  "withoutPartialEscape() removes the incomplete escape %s from the end of a string",
  (partial) => {
    expect(withoutPartialEscape(`text${partial}`)).toBe("text");
  },
);

it.each(["\\u{1f6000", "\\x41", "\\g", "%41", "%g", "&#x000041", "&lowbars", "100% of", "a & b", "\\ c"])(
  "withoutPartialEscape() returns any other string unchanged: %s",
  (text) => {
    expect(withoutPartialEscape(text)).toBe(text);
  },
);
