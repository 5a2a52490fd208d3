import { describe, expect, it } from "vitest";
import { escapeUnprintable, formatSize, inspected, printable } from "../../src/cli/output.ts";
import { quotedWord } from "../../src/cli/quoted-word.ts";

describe("formatSize", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [36_789, "36.8 kB"],
    [999_949, "999.9 kB"],
    [999_950, "1.0 MB"],
    [12_345_678, "12.3 MB"],
    [999_949_999, "999.9 MB"],
    [999_950_000, "1.0 GB"],
    [2_500_000_000, "2.5 GB"],
  ])("writes %i bytes as %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe("quotedWord", () => {
  it.each([
    ["samples/invoice.json", "linux", "samples/invoice.json"],
    ["my samples", "linux", "'my samples'"],
    ["it's", "linux", "'it'\\''s'"],
    ["a\\b", "linux", "'a\\b'"],
    ["*.json", "linux", "'*.json'"],
    ["samples\\invoice.json", "win32", "samples\\invoice.json"],
    ["C:\\my samples", "win32", '"C:\\my samples"'],
    ["it's", "win32", '"it\'s"'],
    ["a&b", "win32", '"a&b"'],
    ["a,b.json", "win32", '"a,b.json"'],
    ["@samples", "win32", '"@samples"'],
    ["a@b=c.json", "win32", "a@b=c.json"],
    ["my samples\\", "win32", '"my samples\\\\"'],
  ])("writes %s for %s as %s", (word, platform, expected) => {
    expect(quotedWord(word, platform)).toBe(expected);
  });

  it("quotes 500,000 backslashes", () => {
    const word = `${"\\".repeat(500_000)} x`;
    expect(quotedWord(word, "win32")).toBe(`"${word}"`);
  });
});

describe("printable", () => {
  it.each([
    ["Zoë 発票 👍 — £1,000", "Zoë 発票 👍 — £1,000"],
    [" first \r\n\n  second\n", "first second"],
    ["a \t\n \u00a0 \r b  c", "a b  c"],
  ])("puts %j on one line", (text, line) => {
    expect(printable(text)).toBe(line);
  });

  it("puts 1 MB of spaces on one line", () => {
    const spaces = " ".repeat(500_000);
    expect(printable(`a${spaces}b\n${spaces}`)).toBe(`a${spaces}b`);
  });

  it("escapes control characters, bidirectional controls and lone surrogates", () => {
    const escaped = String.raw`\u001b[31m\u0007\u0009\u009b2J\u202e\u2028\ud800`;
    expect(printable("\u001b[31m\u0007\t\u009b2J\u202e\u2028\ud800")).toBe(escaped);
  });

  it("uses the escapes of JSON", () => {
    const text = "\u009b31m\u202eabc";
    expect(JSON.parse(escapeUnprintable(JSON.stringify(text)))).toBe(text);
  });
});

describe("inspected", () => {
  it("escapes control characters and keeps the line breaks of a stack", () => {
    const error = new Error("\u001b]0;title\u0007 \u202egpj.exe");
    error.stack = `${error}\n    at \u009b2J (file.mjs:1:2)`;
    expect(inspected(error)).toBe(
      "Error: \\u001b]0;title\\u0007 \\u202egpj.exe\n    at \\u009b2J (file.mjs:1:2)",
    );
  });
});
