import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineAndColumn, parseJson, positionInJson } from "../../src/json/json-text.ts";
import { anyCharacter, orLongRun, property } from "../support/fuzz.ts";

function refusalOf(text: string): string {
  try {
    parseJson(text, "values.json");
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  throw new Error("This text was not refused.");
}

property("parseJson() accepts any JSON value, with or without a byte order mark", () =>
  fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
    const json = JSON.stringify(value);
    for (const text of [json, `\ufeff ${json}\n`]) {
      expect(JSON.stringify(parseJson(text, "values.json"))).toBe(json);
    }
  }),
);

const isNoJson = "this is not JSON; only numbers, true, false and null can be outside double quotes";
const isEmpty = "1:1: the JSON is empty; expected at least {}";

describe("Invalid JSON", () => {
  it.each([
    ["", isEmpty],
    ['{"a": 1,}', "1:9: unexpected comma before this"],
    ['{\r\n"a":1,\r\n"b"\r2}', "4:1: expected a colon"],
    ['{"a":1,,"b":2}', "1:8: expected a property name in double quotes"],
    ['{"a": undefined}', `1:7: ${isNoJson}`],
    ['{"a": 1 "b": 2}', "1:9: expected a comma"],
    ['{"a": }', "1:7: expected a value"],
    ["[1", "1:3: expected ] at the end of an array"],
    ['{"a": "b', "1:7: this string is not closed before the end of the line"],
    ['{"a": "b\tc"}', "1:7: this string contains a control character, such as a tab, that must be escaped"],
    ['{"a": "\\x41"}', "1:7: this string contains an escape that is not allowed in JSON"],
    ['{"a": "\\u00"}', "1:7: this string contains \\u without four hexadecimal digits"],
    ['{"a": 1.}', "1:7: this number is incomplete"],
    ["{} {}", "1:4: expected the end of the JSON"],
    ["{} // a", "1:4: comments are not allowed in JSON"],
    ["\ufeff[,]", "1:2: expected a value"],
    ["[".repeat(100_000), "1:1: this is not JSON, and it is nested too deeply for the mistake to be located"],
  ])("is rejected with the position of the mistake: %.20j", (text, message) => {
    expect(refusalOf(text)).toBe(`values.json:${message}`);
  });

  property(
    "is rejected with a message of one line that does not quote the text",
    (saw) => {
      const canary = "qzx71vv";
      const words = ["u00", "true", "nul", "\u00a0", "\ud800", canary];
      const piece = fc.constantFrom(...'{}[],:"\\ \n\t/*-+.01eE', ...words);
      const json = fc.jsonValue().map((value) => JSON.stringify({ [canary]: [canary, value] }, null, 1));
      const change = fc.tuple(fc.nat(), fc.nat(2), orLongRun(piece));
      return fc.property(json, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        const changed = changes.reduce((before, [at, length, inserted]) => {
          const index = at % (before.length + 1);
          return before.slice(0, index) + inserted + before.slice(index + length);
        }, text);
        let message: string;
        try {
          expect(parseJson(changed, "values.json")).toEqual(JSON.parse(changed));
          return saw("still JSON");
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          message = error.message;
        }
        saw("rejected");
        const [, line, column] = /^values\.json:(\d+):(\d+): [^\n]+$/.exec(message) ?? [];
        const lines = changed.split("\n");
        expect(Number(line)).toBeLessThanOrEqual(lines.length);
        expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1]?.length ?? 0) + 1);
        expect(message).not.toContain(canary);
      });
    },
    { outcomes: ["still JSON", "rejected"] },
  );
});

describe("A name that an object has twice", () => {
  const reason = "this object already has a property with this name; remove one of them";
  it.each([
    ['{"a": 1, "a": 2}', "1:10"],
    ['{"a": 1,\n "\\u0061": 1}', "2:2"],
    ['[{"b": {"x": [], "y": {}, "x": null}}]', "1:27"],
    ['{"": 1, "": 1, "n": 1e400}', "1:9"],
    ['{"__proto__": 1, "__proto__": 1}', "1:18"],
  ])("is rejected, because JavaScript would drop the first value: %s", (text, position) => {
    expect(refusalOf(text)).toBe(`values.json:${position}: ${reason}`);
  });

  it.each([
    '[{"a": 1}, {"a": 1}]',
    '{"a": {"a": {"a": 1}}, "b": {"a": 1}}',
    '{"a": "b", "b": "a", "c": ["a", "a", "c"]}',
    '{"a": {}, "A": {}}',
    '{"constructor": 1, "toString": 1}',
  ])("is not seen in %s", (text) => expect(parseJson(text, "values.json")).toEqual(JSON.parse(text)));

  property("is found in any object, wherever it is", () => {
    const json = fc.jsonValue({ stringUnit: anyCharacter });
    return fc.property(
      fc.dictionary(fc.string(), json, { minKeys: 1, noNullPrototype: true }),
      json,
      (object, before) => {
        const entries = Object.entries(object).map(
          ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        );
        const text = (all: readonly string[]) => `[${JSON.stringify(before)},{${all.join(",")}}]`;
        expect(parseJson(text(entries), "values.json")).toEqual(JSON.parse(text(entries)));
        const at = text(entries).length;
        expect(refusalOf(text([...entries, entries[0] as string]))).toBe(
          `values.json:${lineAndColumn(text(entries).slice(0, at - 2) + ",")}: ${reason}`,
        );
      },
    );
  });
});

describe("A number", () => {
  it.each([
    ["9007199254740993", "has more digits than JavaScript can store"],
    ["12345678901234567891.50", "has more digits than JavaScript can store"],
    ["9".repeat(400), "is too large"],
    ["1e400", "is too large"],
    ["1e-400", "is too small"],
  ])("is rejected if JavaScript would change it: %.12s", (number, what) => {
    expect(() => parseJson(`{"a": "1e400",\n "b": [1, ${number}]}`, "a.json")).toThrow(
      `a.json:2:11: this number ${what}; write it as a string in double quotes`,
    );
  });

  const kept = [
    "1e21",
    '"12345678901234567891"',
    "0.12345678901234567891",
    "1.7976931348623157e308",
    "0e999",
  ];
  it.each(kept)("is accepted if JavaScript would at most round its fraction: %s", (number) => {
    expect(parseJson(`[${number}]`, "a.json")).toEqual(JSON.parse(`[${number}]`));
  });
});

it.each<[path: (string | number)[], position: string | undefined]>([
  [[], "1:1"],
  [["a"], "2:8"],
  [["a", 0], "2:9"],
  [["a", 1, "b"], "3:11"],
  [["a", 2], undefined],
  [["c"], undefined],
])("The position of the path %j is %s", (path, position) => {
  const text = '{\r\n  "a": [1,\r\n    {"b": null}]\r\n}';
  expect(positionInJson(text, path)).toBe(position);
  expect(positionInJson(`\ufeff${text}`, path)).toBe(position);
});
