import { format } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { validateJson } from "../../src/json/json-schema.ts";

function isValid(name: string, text: string): boolean {
  return validateJson(text, { format: name }, "2020-12").valid;
}

describe("the format url", () => {
  it.each([
    "http://example.com",
    "HTTPS://www.example.co.uk/a/b?c=d#e",
    "ftp://user:pa:ss@ex-am-ple.com:8080/",
    "https://müller.example/straße",
    "https://例え.テスト/",
    "http://8.8.8.8:80/x",
  ])("takes %s", (text) => {
    expect(isValid("url", text)).toBe(true);
  });

  it.each([
    "",
    "example.com",
    "//example.com",
    "mailto:ada@example.com",
    "http://example.com/a b",
    "http://example.com:123456",
    "http://256.1.1.1",
  ])("refuses %j", (text) => {
    expect(isValid("url", text)).toBe(false);
  });
});

describe("the format regex", () => {
  it("refuses what is no regular expression, and one of more than 10,000 characters", () => {
    expect(["a+", "(", "a".repeat(10_000), "a".repeat(10_001)].map((text) => isValid("regex", text))).toEqual(
      [true, false, true, false],
    );
  });
});

describe("a format", () => {
  const cores =
    'a 1 0 / : @ . - % %20 [ ] :: 1: a. a- { } {a, {a} ~ ~0 /~0 " \\ "\\ t P1 1Y ( x@ a@ ab: ? # &= é 😀 1. 255.'.split(
      " ",
    );
  const starts = [
    "",
    "http://",
    "http://a@",
    "http://a.b",
    "a@",
    "/",
    "#",
    "{",
    "P",
    '"',
    "a:",
    "http://[::",
    "2026-11-20T09:30:00.",
  ];
  const ends = ["", "!", "\0"];
  // Compiling takes the time, and the length is limited.
  const classes = "[" + "\\p{L}".repeat(100_000) + "]";

  it.each(Object.keys(format))("%s is checked in linear time, whatever a long text holds", (name) => {
    for (const core of [...cores, " ", "\t"]) {
      const text = core.repeat(20_000 / core.length);
      for (const start of starts) for (const end of ends) isValid(name, start + text + end);
    }
    isValid(name, classes);
  });
});
