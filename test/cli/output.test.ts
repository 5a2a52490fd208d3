import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../src/cli/duration.ts";
import { Misuse } from "../../src/cli/failure.ts";
import { escapeUnprintable, formatSize, inspected, printable } from "../../src/cli/output.ts";
import { quotedWord } from "../../src/cli/quoted-word.ts";
import { nearestName } from "../../src/json/nearest-name.ts";

it.each([
  [1000, "1.0 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [999_949_999, "999.9 MB"],
])("formatSize writes %i bytes as %s", (bytes, text) => expect(formatSize(bytes)).toBe(text));

describe("quotedWord", () => {
  it.each([
    ["it's", "linux", "'it'\\''s'"],
    ["*.json", "linux", "'*.json'"],
    ["samples\\invoice.json", "win32", "samples\\invoice.json"],
    ["it's", "win32", '"it\'s"'],
    ["@samples", "win32", '"@samples"'],
    ["my samples\\", "win32", '"my samples\\\\"'],
  ])("quotes a word if the shell requires it: `%s` on %s becomes `%s`", (word, platform, expected) => {
    expect(quotedWord(word, platform)).toBe(expected);
  });
});

describe("printable", () => {
  it.each([
    ["Zoë 発票 👍 — £1,000", "Zoë 発票 👍 — £1,000"],
    [" first \r\n\n  second\n", "first second"],
    ["a \t\n \u00a0 \r b  c", "a b  c"],
    ["\u001b[31m\t\u009b2J\u202e\u2028\ud800", "\\u001b[31m\\u0009\\u009b2J\\u202e\\u2028\\ud800"],
  ])("returns %j as one line without control characters", (text, line) => expect(printable(text)).toBe(line));

  it("keeps 500,000 spaces within a line", () => {
    const spaces = " ".repeat(500_000);
    expect(printable(`a${spaces}b\n${spaces}`)).toBe(`a${spaces}b`);
  });
});

it("escapeUnprintable writes unprintable characters as JSON escapes", () => {
  const text = "\u009b31m\u202eabc";
  expect(JSON.parse(escapeUnprintable(JSON.stringify(text)))).toBe(text);
});

it("`inspected` escapes control characters and keeps the line breaks in a stack", () => {
  const error = new Error("\u001b]0;title\u0007 \u202egpj");
  error.stack = `${error}\n    at \u009b2J (a.mjs:1:2)`;
  const escaped = "Error: \\u001b]0;title\\u0007 \\u202egpj\n    at \\u009b2J (a.mjs:1:2)";
  expect(inspected(error)).toBe(escaped);
});

it.each([
  ["abcx", ["abcy", "abcz"], "abcy"],
  ["FETA", ["fetch"], "fetch"],
  ["fega", ["fetch"], undefined],
])("nearestName finds a name if most letter pairs match: %s in %j (result: %s)", (name, known, nearest) =>
  expect(nearestName(name, known)).toBe(nearest),
);

describe("parseDuration", () => {
  it.each([
    ["30", 30_000],
    [".5s", 500],
    ["500 MS", 500],
    ["1.5h", 5_400_000],
    ["2147483647ms", 2_147_483_647],
  ])("accepts %s", (text, durationMs) => expect(parseDuration(text, "--timeout")).toBe(durationMs));

  it.each(["", "0", "0.0001", "-1", "1e3", "2d", "1 2", "597h", "2147483648ms"])("rejects %j", (text) => {
    const parse = () => parseDuration(text, "--timeout");
    expect(parse).toThrow(Misuse);
    expect(parse).toThrow(`--timeout must be a duration from 1ms to 596h, but got "${text}".`);
  });

  it("rejects 500,000 spaces after a number", () => {
    expect(() => parseDuration(`1${" ".repeat(500_000)}x`, "--timeout")).toThrow(Misuse);
  });
});

it.each([
  [999.4, "999 ms"],
  [999.6, "1 s"],
  [1250, "1.3 s"],
])("formatDuration writes %f ms as %s", (durationMs, text) => expect(formatDuration(durationMs)).toBe(text));
