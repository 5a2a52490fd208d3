import { describe, expect, it } from "vitest";
import { contentOf, definitionOf, issuesOf, templateOf } from "./json-filling.ts";

const checked = (schema: unknown, values: Record<string, unknown>) =>
  issuesOf({ content: "", schema }, values);

describe("values that do not fit the template", () => {
  const each = [{ $each: "a", $show: 1 }];
  const noText = (kind: string) => `a must be a string, a number or a boolean, not an ${kind} (content)`;

  it.each<[unknown, object, ...string[]]>([
    [{ text: "{{a}}" }, {}, "a has no value (content.text)"],
    [["{{a.b}}"], { a: {} }, "a/b has no value (content[0])"],
    ["{{__proto__}}", {}, "__proto__ has no value (content)"],
    ["{{a}}", { a: {} }, noText("object")],
    ["{{a?}}", { a: [] }, noText("array")],
    [each, {}, "a has no value (content[0].$each)"],
    [each, { a: {} }, "a must be an array (content[0].$each)"],
    // A missing value is reported once, even if several texts need it.
    [["{{a}}", "{{a}}", { b: "{{a}}" }], {}, "a has no value (content[0])"],
    [{ "a b": { "": "{{x}}" } }, {}, 'x has no value (content["a b"][""])'],
  ])("are reported with a path and a location: content %j, values %j", (content, values, ...expected) => {
    expect(issuesOf({ content }, values as Record<string, unknown>)).toEqual(expected);
  });

  it("cause an issue for each affected item in nested lists", () => {
    const content = [
      { $each: "a", $show: { text: ["{{b}} {{../c}}", { $each: "d", $show: "{{this.e}}" }] } },
    ];
    const a = [{ d: [{}] }, { b: 1, d: [{ e: 1 }, {}] }, { b: 1, d: 5 }];
    expect(issuesOf({ content }, { a })).toEqual([
      "a/0/b has no value (content[0].$show.text[0])",
      "c has no value (content[0].$show.text[0])",
      "a/0/d/0/e has no value (content[0].$show.text[1].$show)",
      "a/1/d/1/e has no value (content[0].$show.text[1].$show)",
      "a/2/d must be an array (content[0].$show.text[1].$each)",
    ]);
  });

  it("are not checked any further after 1,000 issues", () => {
    let furthest = 0;
    const get = (items: object[], key: string | symbol) => {
      furthest = Math.max(furthest, Number(String(key)) || 0);
      return Reflect.get(items, key);
    };
    const lines = new Proxy(Array(5_000).fill({}), { get });
    const template = templateOf({ content: [{ $each: "lines", $show: "{{a}}{{b}}{{c}}" }] });
    expect(template.fill({ lines }).issues).toHaveLength(1_000);
    expect(furthest).toBe(333);
  });
});

describe("a value that changes the direction of text", () => {
  it.each([
    ["\u202eabc", "\u202eabc\u202c"],
    ["\u2067a\u202bb", "\u2067a\u202bb\u202c\u2069"],
    ["\u2067a\u202bb\u2069", "\u2067a\u202bb\u2069"],
    ["\u202aa\u202c\u202c\u2069", "\u202aa\u202c\u202c\u2069"],
    ["\u202ea\u2069", "\u202ea\u2069\u202c"],
    ["שלום", "שלום"],
  ])("ends the change before the template's text: %j", (name, expected) => {
    expect(contentOf("{{name}} 100", { name })).toBe(`${expected} 100`);
  });
});

describe("a template's sample", () => {
  it("comes from the `sample` property of the file", () => {
    const sample = { total: "£1", more: [1] };
    expect(templateOf({ content: "{{total}}", sample }).sample).toEqual(sample);
    expect(definitionOf({ content: "", sample, schema: true })).toEqual({ content: "" });
  });

  const price = { price: "price" };

  it.each<[unknown, unknown]>([
    ["{{customer.name}} {{note?}}", { customer: { name: "name" }, note: "note" }],
    [[{ $each: "lines", $show: "{{price}} {{../total}}" }], { lines: [price], total: "total" }],
    [[{ $each: "a", $show: { $each: "this", $show: "{{b}} {{../../c}}" } }], { a: [[{ b: "b" }]], c: "c" }],
    // A small number is an index, and a larger one is a property name.
    ["{{lines.2.price}}", { lines: [price, price, price] }],
    ["{{years.2024}}", { years: { 2024: "2024" } }],
    [{ $if: "a.paid", $show: "PAID" }, { a: { paid: true } }],
    [[{ $if: "lines", $show: { $each: "lines", $show: "{{price}}" } }], { lines: [price] }],
    ["{{__proto__.constructor}}", JSON.parse('{"__proto__":{"constructor":"constructor"}}')],
  ])("is generated if the file has no `sample` property: content %j", (content, expected) => {
    const { sample } = templateOf({ content });
    expect(JSON.stringify(sample)).toBe(JSON.stringify(expected));
    expect(issuesOf({ content }, sample)).toEqual([]);
  });
});

describe("the values for a template with a schema", () => {
  it("are checked against the schema first and then against the template", () => {
    const json = { content: "{{a}}{{b}}", schema: { properties: { a: { type: "string" } } } };
    expect(issuesOf(json, { a: 1 })).toEqual(["a must be a string"]);
    expect(issuesOf(json, { a: "1" })).toEqual(["b has no value (content)"]);
    expect(templateOf(json).fill({ a: "1", b: 2 })).toEqual({ definition: { content: "12" } });
  });

  it("are rejected if they or the schema's references are nested too deeply", () => {
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { a: deep };
    expect(checked({ properties: { a: { $ref: "#" } } }, deep)).toEqual(["is nested deeper than 500 levels"]);
    expect(checked({ allOf: [{ $ref: "#" }] }, {})).toEqual([
      "cannot be checked, because it has too many errors, is nested too deeply, or refers to itself",
    ]);
  });

  it("are always accepted by the schema `true`, and always rejected by `false`", () => {
    expect(checked(false, {})).toEqual(["is not allowed"]);
    expect(checked(true, { a: 1 })).toEqual([]);
  });
});
