import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/json/json-text.ts";
import { orLongRun, property } from "../support/fuzz.ts";

function refusalOf(text: string): string {
  try {
    parseJson(text, "values.json");
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  throw new Error("This text was not refused.");
}

describe("a JSON text", () => {
  it("is parsed, a byte order mark at its start left aside", () => {
    expect(parseJson('\ufeff {"a":[1,null,"£"]}\n', "values.json")).toEqual({ a: [1, null, "£"] });
  });

  property("may be any value", () =>
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.stringify(parseJson(json, "values.json"))).toBe(json);
    }),
  );
});

describe("what is no JSON is refused with its place", () => {
  it.each([
    ["nothing", "", "1:1: there is nothing in it; at least {} should stand here"],
    ["white space", " \n\t", "1:1: there is nothing in it; at least {} should stand here"],
    ["a byte order mark alone", "\ufeff", "1:1: there is nothing in it; at least {} should stand here"],
    ["a comma at the end of an object", '{"a": 1,}', "1:9: nothing follows the comma before this"],
    [
      "a comma at the end of an array, lines before",
      "[\n  1,\n]",
      "3:1: nothing follows the comma before this",
    ],
    ["lines that end with a carriage return", '{\r\n"a":1,\r\n"b"\r2}', "4:1: a colon should stand here"],
    ["two commas", '{"a":1,,"b":2}', "1:8: the name of a member, in double quotes, should stand here"],
    [
      "a name without quotes",
      "{a: 1}",
      "1:2: this is no JSON; outside of double quotes stand only numbers, true, false and null",
    ],
    [
      "single quotes",
      "{'a': 1}",
      "1:2: this is no JSON; outside of double quotes stand only numbers, true, false and null",
    ],
    [
      "typographic quotes",
      '{"a": “b”}',
      "1:7: this is no JSON; outside of double quotes stand only numbers, true, false and null",
    ],
    [
      "undefined",
      '{"a": undefined}',
      "1:7: this is no JSON; outside of double quotes stand only numbers, true, false and null",
    ],
    [
      "a quote in a text",
      '{"a": "b"c"}',
      "1:10: this is no JSON; outside of double quotes stand only numbers, true, false and null",
    ],
    ["no comma between members", '{"a": 1 "b": 2}', "1:9: a comma should stand here"],
    ["no comma between items", "[1 2]", "1:4: a comma should stand here"],
    ["no colon", '{"a" 1}', "1:6: a colon should stand here"],
    ["no value", '{"a": }', "1:7: a value should stand here"],
    ["an object that is not closed", '{"a": {}', "1:9: an object is not closed; } should stand here"],
    ["an array that is not closed", "[1", "1:3: an array is not closed; ] should stand here"],
    ["a text that is not closed", '{"a": "b', "1:7: this text is not closed on its line"],
    ["a text over two lines", '{"a": "b\nc"}', "1:7: this text is not closed on its line"],
    ["a tab in a text", '{"a": "b\tc"}', "1:7: in this text, a character such as a tab has to be escaped"],
    [
      "an escape that is none",
      '{"a": "\\x41"}',
      "1:7: in this text, there is an escape that JSON does not have",
    ],
    [
      "an escape that breaks off",
      '{"a": "\\u00"}',
      "1:7: in this text, \\u is not followed by four hexadecimal digits",
    ],
    ["a number that breaks off", '{"a": 1.}', "1:7: this number breaks off"],
    ["a second value", "{} {}", "1:4: the JSON has ended already"],
    ["a comment", "{} // a", "1:4: JSON has no comments"],
    ["a comment that is not closed", "/* {}", "1:1: JSON has no comments"],
    ["a byte order mark before, which counts for nothing", "\ufeff[,]", "1:2: a value should stand here"],
    [
      "brackets without end",
      "[".repeat(100_000),
      "1:1: this is no JSON, and nested too deep to tell where it goes wrong",
    ],
  ])("%s", (_, text, message) => {
    expect(refusalOf(text)).toBe(`values.json:${message}`);
  });

  property("whatever is wrong with it: in one line, and with nothing of the text", () => {
    const canary = "qzx71vv";
    const piece = fc.constantFrom(
      ...'{}[],:"\\ \n\t/*-+.01eE',
      "u00",
      "true",
      "nul",
      "\u00a0",
      "\ud800",
      canary,
    );
    const text = fc.tuple(
      fc.jsonValue().map((value) => JSON.stringify({ [canary]: [canary, value] }, null, 1)),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), orLongRun(piece)), { minLength: 1, maxLength: 3 }),
    );
    return fc.property(text, ([json, changes]) => {
      const changed = changes.reduce((before, [at, length, inserted]) => {
        const index = at % (before.length + 1);
        return before.slice(0, index) + inserted + before.slice(index + length);
      }, json);
      if (isJson(changed)) {
        // Digits may have come together to a number that is refused for another reason.
        if (/\d{16}|\d[eE][+-]?\d{3}/.test(changed)) return;
        expect(parseJson(changed, "values.json")).toEqual(JSON.parse(changed));
        return;
      }
      const message = refusalOf(changed);
      const [, line, column] = /^values\.json:(\d+):(\d+): [^\n]+$/.exec(message) ?? [];
      const lines = changed.split("\n");
      expect(Number(line)).toBeLessThanOrEqual(lines.length);
      expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1]?.length ?? 0) + 1);
      expect(message).not.toContain(canary);
    });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a number", () => {
  it.each(["9007199254740993", "-12345678901234567891", "12345678901234567891.50"])(
    "that would be changed is refused: %s",
    (number) => {
      expect(() => parseJson(`{\n  "iban": [1, ${number}]}`, "a.json")).toThrow(
        "a.json:2:15: this number has more digits than are kept; write it as text, in double quotes",
      );
    },
  );

  it.each([
    ["9".repeat(400), "is too large"],
    [`-${"9".repeat(200_000)}`, "is too large"],
    ["1e400", "is too large"],
    ["-1.5E+0309", "is too large"],
    ["1e-400", "is too small"],
    ["0.01e-330", "is too small"],
  ])("that JavaScript cannot hold is refused: %.12s", (number, what) => {
    expect(() => parseJson(`{"a": "1e400",\n "b": ${number}}`, "a.json")).toThrow(
      `a.json:2:7: this number ${what}; write it as text, in double quotes`,
    );
  });

  it.each([
    "9007199254740992",
    "1234567890123456",
    "1e21",
    "10000000000000000000000",
    '"12345678901234567891"',
    "0.12345678901234567891",
    "1234567890123456.789",
    "1.7976931348623157e308",
    "5e-324",
    "0e999",
    "0.0000000000000000",
  ])("that is kept, and what is none, passes: %s", (number) => {
    expect(parseJson(`[${number}]`, "a.json")).toEqual(JSON.parse(`[${number}]`));
  });
});
