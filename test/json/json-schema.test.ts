import { format } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import { validateJson } from "../../src/json/json-schema.ts";

function isValid(name: string, text: string): boolean {
  return validateJson(text, { format: name }, "2020-12").valid;
}

it.each([
  ["http://example.com", true],
  ["ftp://user:pa:ss@ex-am-ple.com:8080/", true],
  ["https://müller.example/straße", true],
  ["example.com", false],
  ["http://example.com/a b", false],
  ["http://256.1.1.1", false],
])("Validating %j against the `url` format returns %s", (text, expected) => {
  expect(isValid("url", text)).toBe(expected);
});

it("The `regex` format allows regular expressions of up to 10,000 characters", () => {
  const texts = ["a+", "(", "a".repeat(10_000), "a".repeat(10_001)];
  expect(texts.map((text) => isValid("regex", text))).toEqual([true, false, true, false]);
});

const cores =
  'a 1 0 / : @ . - % %20 [ ] :: 1: a. a- { } {a, {a} ~ ~0 /~0 " \\ "\\ t P1 1Y ( x@ a@ ab: ? # &= é 😀 1. 255.';
const starts = 'http:// http://a@ http://a.b a@ / # { P " a: http://[:: 2026-11-20T09:30:00.';

it.each(Object.keys(format))("The `%s` format is checked in linear time", (name) => {
  for (const core of [...cores.split(" "), " ", "\t"]) {
    const text = core.repeat(10_000 / core.length);
    for (const start of ["", ...starts.split(" ")]) isValid(name, `${start}${text}!`);
  }
  // The length limit rejects this expression, which would take long to compile.
  isValid(name, `[${"\\p{L}".repeat(100_000)}]`);
});
