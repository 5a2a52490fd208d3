import { describe, expect, it } from "vitest";
import { contentOf, definitionOf, issuesOf, parseErrorOf, templateOf } from "./json-filling.ts";

const parseError = (json: unknown) => parseErrorOf(JSON.stringify(json));

describe("a comparison with `$is`", () => {
  const filled = (is: unknown, values: Record<string, unknown>) =>
    contentOf([{ $if: "a", $is: is, $show: "yes", $else: "no" }], values);

  it.each<[unknown, unknown, string]>([
    ["DE", "DE", "yes"],
    ["DE", "de", "no"],
    ["é", "e\u0301", "yes"],
    ["", "", "yes"],
    [3, 3, "yes"],
    [3, "3.00", "yes"],
    [0.3, "0.30", "yes"],
    [3, "three", "no"],
    ["3", "3.00", "no"],
    [true, true, "yes"],
    [true, "true", "yes"],
    [false, true, "no"],
    ["DE", null, "no"],
    ["DE", undefined, "no"],
    [0, undefined, "no"],
  ])("compares with %j: the value %j shows %j", (is, value, expected) => {
    expect(filled(is, value === undefined ? {} : { a: value })).toEqual([expected]);
  });

  it("compares with another value, or with a text that contains one", () => {
    const same = (a: unknown, b: unknown) => filled("{{b}}", { a, b });
    expect([same("x", "x"), same("x", "y"), same("1", 1)].flat()).toEqual(["yes", "no", "yes"]);
    expect(filled("{{b?}}", { a: "x" })).toEqual(["no"]);
    expect(filled("no. {{b}}", { a: "no. 7", b: 7 })).toEqual(["yes"]);
  });

  it("refers to the items of `$each` and to the values around them", () => {
    const inner = { $if: "kind", $is: "{{../kind}}", $show: "{{name}}" };
    const lines = [
      { kind: "a", name: "1" },
      { kind: "b", name: "2" },
    ];
    expect(contentOf([{ $each: "lines", $show: { stack: [inner] } }], { kind: "b", lines })).toEqual([
      { stack: [] },
      { stack: ["2"] },
    ]);
  });

  it("reports values that cannot be compared or are missing", () => {
    const content = [{ $if: "a", $is: "{{b}}", $show: "" }];
    expect(issuesOf({ content }, { a: [], b: {} })).toEqual([
      "a must be a string, a number or a boolean, because it is compared (content[0].$is)",
      "b must be a string, a number or a boolean, not an object (content[0].$is)",
    ]);
    expect(issuesOf({ content }, { a: 1 })).toEqual(["b has no value (content[0].$is)"]);
  });

  it.each([null, ["a"], {}])("is rejected if it is neither a text, a number nor a boolean: %j", (is) => {
    expect(parseError({ content: [{ $if: "a", $is: is, $show: "" }] })).toContain(
      'content[0].$is: must be a text, a number, true or false, or a value such as "{{customer.country}}".',
    );
  });

  it("generates a sample for which it is true", () => {
    const content = [{ $if: "country", $is: "DE", $show: "{{vat}}" }];
    expect(templateOf({ content }).sample).toEqual({ country: "DE", vat: "vat" });
  });
});

describe("{{sum …}}", () => {
  const lines = [{ net: 0.1 }, { net: "0.2" }, { net: null }];

  it.each<[string, object, string]>([
    ["{{sum lines.net}}", { lines }, "0.3"],
    ["{{sum lines.net | currency EUR}}", { lines: [{ net: "1e" }, { net: 1 }].slice(1) }, "€1.00"],
    ["{{sum lines.net | number 2}}", { lines: [{ net: 1.005 }, { net: 1e-7 }] }, "1.01"],
    ["{{sum groups.lines.net}}", { groups: [{ lines }, { lines: [{ net: -1 }] }] }, "-0.7"],
    ["{{sum net}}", { net: [1, 2, "3.50"] }, "6.50"],
    ["{{sum lines.net?}}", { lines: [{}, { net: 5 }] }, "5"],
    ["{{sum lines.net?}}", {}, "0"],
    ["{{sum lines.net}}", { lines: [] }, "0"],
    [
      "{{sum lines.net}}",
      { lines: [{ net: 9_007_199_254_740_991 }, { net: "0.01" }] },
      "9007199254740991.01",
    ],
    ["{{sum}}", { sum: "total" }, "total"],
  ])("adds decimal numbers exactly: %s with %j is %j", (content, values, expected) => {
    expect(contentOf(content, values as Record<string, unknown>)).toBe(expected);
  });

  it("adds the items of the current `$each`, and values around them", () => {
    const content = [{ $each: "groups", $show: "{{sum lines.net}} of {{sum ../groups.lines.net}}" }];
    const groups = [{ lines }, { lines: [{ net: 2 }] }];
    expect(contentOf(content, { groups })).toEqual(["0.3 of 2.3", "2 of 2.3"]);
  });

  it.each<[object, string]>([
    [{ lines: [{ net: "£1" }] }, "lines/0/net must be a number (content)"],
    [{ lines: [{ net: true }] }, "lines/0/net must be a number (content)"],
    [{ lines: [{}] }, "lines/0/net has no value (content)"],
    [{}, "lines has no value (content)"],
    [{ lines: { net: 1 } }, "lines/net must be an array (content)"],
  ])("reports values that cannot be added, with their paths: %j", (values, issue) => {
    expect(issuesOf({ content: "{{sum lines.net}}" }, values as Record<string, unknown>)).toEqual([issue]);
  });

  it("generates a sample that it can add, wherever `$each` follows", () => {
    const content = [
      "{{sum groups.lines.net}}",
      { $each: "groups", $show: [{ $each: "lines", $show: "{{text}}" }] },
    ];
    const { sample, fill } = templateOf({ content });
    expect(sample).toEqual({ groups: [{ lines: [{ text: "text", net: 1234.5 }] }] });
    expect(fill(sample)).toMatchObject({ definition: { content: ["1234.5", ["text"]] } });
    expect(templateOf({ content: "{{sum lines.net}}" }).sample).toEqual({ lines: [{ net: 1234.5 }] });
  });

  it("cannot have the format of a date", () => {
    expect(parseError({ content: "{{sum a.b | date}}" })).toContain('has the format "date" for a sum');
  });
});

describe("the locale of a document", () => {
  it("comes from a value, with each document's own", () => {
    const { fill } = templateOf({ locale: "{{locale}}", content: "{{total | currency EUR}}" });
    const shown = (locale: string) => fill({ locale, total: 1234.5 });
    expect(shown("de-DE")).toEqual({ definition: { content: "1.234,50\u00a0€" } });
    expect(shown("en-GB")).toEqual({ definition: { content: "€1,234.50" } });
  });

  it("is the default if an optional value is missing", () => {
    expect(definitionOf({ locale: "{{a.locale?}}", content: "{{b | number 1}}" }, { b: 1000 }).content).toBe(
      "1,000.0",
    );
  });

  it.each<[object, string]>([
    [{}, "locale has no value (locale)"],
    [{ locale: "klingon!" }, "locale must be a locale (BCP 47) (locale)"],
    [{ locale: 7 }, "locale must be a locale (BCP 47) (locale)"],
  ])("is reported if a value is none: %j", (values, issue) => {
    expect(issuesOf({ locale: "{{locale}}", content: "" }, values as Record<string, unknown>)).toEqual([
      issue,
    ]);
  });

  it.each(["{{a}}-{{b}}", "x{{a}}", "{{a | number}}", "{{@page}}"])("cannot be composed: %s", (locale) => {
    expect(parseError({ locale, content: "" })).toContain("can contain one placeholder without a format");
  });
});

describe("labels", () => {
  const labels = {
    en: { total: "Total", page: "Page {{@page}} of {{@pages}}", dear: "Dear {{name}}" },
    de: { total: "Summe", page: "Seite {{@page}} von {{@pages}}", dear: "Guten Tag {{name}}" },
  };

  it("are texts in the language of the locale, in which placeholders stand for the values where they are used", () => {
    const json = {
      labels,
      locale: "{{locale}}",
      content: "{{@labels.total}}: {{@labels.dear}}",
      footer: "{{@labels.page}}",
    };
    const german = definitionOf(json, { locale: "de-AT", name: "Eva" });
    expect(german.content).toBe("Summe: Guten Tag Eva");
    expect(german.footer?.(1, 2)).toBe("Seite 1 von 2");
    expect(definitionOf(json, { locale: "en", name: "Eva" }).content).toBe("Total: Dear Eva");
  });

  it("are reported for a locale without a language, and not shown in another", () => {
    const json = { labels, locale: "{{locale}}", content: "{{@labels.total}}" };
    expect(issuesOf(json, { locale: "fr-FR" })).toEqual([
      "locale must be a locale in one of these languages: en, de (locale)",
    ]);
    expect(parseError({ ...json, locale: "fr" })).toContain(
      "locale: is fr, which is not one of the languages",
    );
  });

  it("are escaped in SVG", () => {
    const content = { svg: "<text>{{@labels.a}}</text>" };
    expect(definitionOf({ labels: { en: { a: "R&D" } }, content }).content).toEqual({
      svg: "<text>R&#38;D</text>",
    });
  });

  it.each<[object, string]>([
    [{ en: { a: "A" }, de: {} }, 'labels.de: has no "a", which another language has. Add it.'],
    [{ en: { a: 1 } }, "labels.en.a: must be a text."],
    [{ english: { a: "" } }, "labels.english: must be a language"],
    [{}, "labels: must be an object with texts by language"],
    [{ en: { a: "{{@labels.a}}" } }, "labels.en.a: {{@labels.a}} is not allowed in a label."],
    [{ en: { total: "" } }, "content: {{@labels.a}} is not one of the labels. They are total."],
    [{ en: { aa: "" } }, 'content: {{@labels.a}} is not one of the labels. Did you mean "aa"?'],
  ])("are reported if they are wrong: %j", (wrong, message) => {
    expect(parseError({ labels: wrong, content: "{{@labels.a}}" })).toContain(message);
  });
});

describe("`$all`", () => {
  it("makes several elements for each item", () => {
    const rows = { $all: [["{{a}}", ""], { $if: "b", $show: ["", "{{b}}"] }] };
    const body = [{ $each: "lines", $show: rows }];
    const lines = [{ a: 1, b: 2 }, { a: 3 }];
    expect(contentOf({ table: { body } }, { lines })).toEqual({
      table: {
        body: [
          ["1", ""],
          ["", "2"],
          ["3", ""],
        ],
      },
    });
  });

  it.each<[unknown, string]>([
    [{ text: { $all: [] } }, ".text: `$all` must be in an array. Wrap it in [ ]."],
    [{ $all: "a" }, ".$all: must be an array of elements."],
    [{ $all: [], margin: 1 }, ".margin: cannot be combined with `$all`. Move it into an element."],
  ])("is reported if it is wrong: %j", (element, message) => {
    expect(parseError({ content: [element] })).toContain(`content[0]${message}`);
  });
});

describe("a row whose cells are all arrays", () => {
  const rows = [
    ["a", "b"],
    ["c", "d"],
  ];
  it.each<[unknown, string]>([
    [{ $each: "lines", $show: rows }, "$show"],
    [{ $if: "lines", $show: ["a", "b"], $else: rows }, "$else"],
    [{ $each: "lines", $show: { $if: "a", $show: rows } }, "$show.$show"],
  ])("is rejected, because it looks like several rows: %j", (row, place) => {
    expect(parseError({ content: { table: { body: [row] } } })).toContain(
      `content.table.body[0].${place}: is one row, but each of its cells is an array. For several rows, write {"$all": [ … ]}.`,
    );
  });
});
