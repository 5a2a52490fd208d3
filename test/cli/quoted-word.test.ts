import { describe, expect, it } from "vitest";
import { quotedWord } from "../../src/cli/quoted-word.ts";

describe("a word of a command that is told", () => {
  it.each([
    ["samples/invoice.json", "samples/invoice.json"],
    ["my samples", "'my samples'"],
    ["it's", "'it'\\''s'"],
    ["a\\b", "'a\\b'"],
    ["*.json", "'*.json'"],
  ])("%s", (word, expected) => {
    expect(quotedWord(word, "linux")).toBe(expected);
  });

  it("handles 500,000 backslashes at once", () => {
    const word = `${"\\".repeat(500_000)} x`;
    expect(quotedWord(word, "win32")).toBe(`"${word}"`);
  });

  it.each([
    ["samples\\invoice.json", "samples\\invoice.json"],
    ["C:\\my samples", '"C:\\my samples"'],
    ["it's", '"it\'s"'],
    ["a&b", '"a&b"'],
    ["a,b.json", '"a,b.json"'],
    ["@samples", '"@samples"'],
    ["a@b=c.json", "a@b=c.json"],
    ["my samples\\", '"my samples\\\\"'],
  ])("%s, on Windows", (word, expected) => {
    expect(quotedWord(word, "win32")).toBe(expected);
  });
});
