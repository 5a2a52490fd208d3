import { describe, expect, it } from "vitest";
import { contentOf, definitionOf, issuesOf, type PagePart } from "./json-filling.ts";

describe("a placeholder", () => {
  it.each<
    [
      title: string,
      row: { readonly text: string; readonly values: Record<string, unknown>; readonly expected: string },
    ]
  >([
    ["a number", { text: "{{count}}", values: { count: -0.5 }, expected: "-0.5" }],
    ["a boolean", { text: "{{paid}}", values: { paid: false }, expected: "false" }],
    ["an empty string if the value is null", { text: "[{{note}}]", values: { note: null }, expected: "[]" }],
    [
      "a nested property's value",
      { text: "{{buyer.address.city}}", values: { buyer: { address: { city: "Łódź" } } }, expected: "Łódź" },
    ],
    [
      "the value of a property of an array item",
      { text: "{{lines.1.price}}", values: { lines: [{}, { price: 7 }] }, expected: "7" },
    ],
    [
      "the value even if the braces contain spaces",
      { text: "{{ a }}{{\ta\n}}", values: { a: 1 }, expected: "11" },
    ],
    [
      "a value named größe, a-b or $c_d",
      { text: "{{größe}}{{a-b}}{{$c_d}}", values: { größe: 1, "a-b": 2, $c_d: 3 }, expected: "123" },
    ],
    ["an empty string if an optional value is omitted", { text: "[{{note?}}]", values: {}, expected: "[]" }],
    [
      "an empty string if an optional property has no parent object",
      { text: "[{{a.b.c?}}]", values: { a: "text" }, expected: "[]" },
    ],
    [
      "a value whose braces are not expanded",
      { text: "{{a}}", values: { a: "{{b}} \\{{" }, expected: "{{b}} \\{{" },
    ],
    [
      "the value of an own property named `constructor`",
      { text: "{{constructor}}", values: { constructor: "c" }, expected: "c" },
    ],
    ["the value of a property of `this`", { text: "{{this.a}}", values: { a: 1 }, expected: "1" }],
  ])("is replaced with %s", (_, { text, values, expected }) => {
    expect(contentOf(text, values)).toBe(expected);
  });

  it.each([
    ["escaped braces", "\\{{total}}", "{{total}}"],
    ["an escaped backslash before a placeholder", "C:\\\\{{a}}", "C:\\1"],
    ["backslashes that do not escape a placeholder", "\\a\\{\\\\", "\\a\\{\\\\"],
  ])("is recognized correctly in a string that contains %s", (_, text, expected) => {
    expect(contentOf(text, { a: 1 })).toBe(expected);
  });

  it("can be used in any string of the definition, but not in a property name", () => {
    const json = {
      content: [{ text: ["{{a}}", { link: "/{{a}}" }] }],
      styles: { "{{a}}": { color: "{{a}}" } },
    };
    const filled = { content: [{ text: ["A", { link: "/A" }] }], styles: { "{{a}}": { color: "A" } } };
    expect(definitionOf(json, { a: "A" })).toEqual(filled);
  });

  it("is replaced with an escaped value in an SVG string", () => {
    const json = { svg: '<text a="{{a}}">{{a}} &amp; \\{{</text>' };
    expect(contentOf(json, { a: `<&>"'` })).toEqual({
      svg: '<text a="&#60;&#38;&#62;&#34;&#39;">&#60;&#38;&#62;&#34;&#39; &amp; {{</text>',
    });
    const chosen = { svg: { $if: "a", $show: "{{a}}" } };
    expect(contentOf(chosen, { a: "<" })).toEqual({ svg: "&#60;" });
  });
});

describe("$each", () => {
  it("creates an element for each item from the item's properties", () => {
    const each = { $each: "lines", $show: ["{{item}}", "{{price}}"] };
    const body = [["Item", "Price"], each, ["Total", "{{total}}"]];
    const lines = JSON.parse('[{ "item": "Ink", "price": 1 }, { "item": "Pen", "price": 2 }]');
    const values = { total: 3, lines };
    const rows = ["Item Price", "Ink 1", "Pen 2", "Total 3"].map((row) => row.split(" "));
    expect(contentOf({ table: { body } }, values)).toEqual({ table: { body: rows } });
  });

  it("provides access to the item, the item's number and the outer scopes", () => {
    const inner = { $each: "tags", $show: "{{@number}} {{this}} {{../name}} {{../@number}} {{../../total}}" };
    const lines = JSON.parse('[{ "name": "a", "tags": ["x", "y"] }, { "name": "b", "tags": ["z"] }]');
    const values = { total: 9, lines };
    expect(contentOf([{ $each: "lines", $show: [inner] }], values)).toEqual([
      ["1 x a 1 9", "2 y a 1 9"],
      ["1 z b 2 9"],
    ]);
  });

  it("can iterate over a nested array, an array in an outer scope, or an item that is an array", () => {
    const cells = { $each: "this", $show: "{{this}}{{../../order.unit}}" };
    const rows = { $each: "order.rows", $show: [cells, { $each: "../order.notes", $show: "{{this}}" }] };
    const values = { order: { unit: "g", rows: [[1, 2], [3]], notes: ["n"] } };
    expect(contentOf([rows], values)).toEqual([
      ["1g", "2g", "n"],
      ["3g", "n"],
    ]);
  });

  it("can be used inside $each or $if, and creates nothing for an empty array", () => {
    const lines = { $each: "lines", $show: "{{this}}" };
    const groups = { $each: "groups", $show: { $if: "lines", $show: lines, $else: "none" } };
    const values = { groups: [{ lines: [1, 2] }, { lines: [] }, { lines: [3] }] };
    expect(contentOf(["first", groups, "last"], values)).toEqual(["first", "1", "2", "none", "3", "last"]);
    for (const none of [[], null]) expect(contentOf(["a", lines], { lines: none })).toEqual(["a"]);
  });

  it("removes a table that would have no rows, because pdfmake cannot draw an empty table", () => {
    const body = [{ $each: "lines", $show: ["{{this}}"] }];
    const table = { table: { body }, layout: { hLineWidth: 1 }, margin: [0, 9] };
    const filled = { table: { body: [["a"]] }, margin: [0, 9] };
    expect(contentOf([table], { lines: [] })).toEqual([{ margin: [0, 9], text: "" }]);
    expect(contentOf([table], { lines: ["a"] })).toMatchObject([filled]);
  });
});

describe("$if", () => {
  const choice = { $if: "note", $show: "{{note?}}!", $else: "none" };

  it.each([undefined, null, false, "", []])("shows the `$else` element for the value %j", (note) => {
    expect(contentOf([choice], { note })).toEqual(["none"]);
    expect(contentOf({ text: choice }, { note })).toEqual({ text: "none" });
  });

  it.each([0, " ", true, {}, [null]])("shows the `$show` element for the value %j", (note) => {
    expect(contentOf([{ $if: "note", $show: "shown" }], { note })).toEqual(["shown"]);
  });

  it("shows nothing if the value and `$else` are omitted", () => {
    const hidden = { $if: "a.b.c", $show: "shown" };
    expect(contentOf(["first", hidden, "last"], { a: 1 })).toEqual(["first", "last"]);
    expect(contentOf({ text: hidden, stack: [[hidden]] })).toEqual({ text: "", stack: [[]] });
    expect(contentOf(hidden)).toBe("");
  });
});

describe("a header, footer or background", () => {
  it("can show the page number", () => {
    const json = {
      content: "",
      header: "{{title}} {{@page}}",
      footer: { columns: ["{{@page}} / {{@pages}}"] },
      background: [{ text: "{{ @page }}" }],
    };
    const { header, footer, background } = definitionOf(json, { title: "T" });
    expect(header?.(2, 9)).toBe("T 2");
    expect(footer?.(2, 9)).toEqual({ columns: ["2 / 9"] });
    expect(background?.(3, { width: 1 })).toEqual([{ text: "3" }]);
  });

  it("can be set for a section, where it can also be `inherit` or null", () => {
    const sections = [
      { section: ["a"], header: "{{@page}}", footer: "inherit", background: null },
      { section: ["b"], header: { $if: "x", $show: "y" } },
    ];
    const [first, second] = contentOf(sections) as { readonly header: PagePart }[];
    expect(first).toMatchObject({ section: ["a"], footer: "inherit", background: null });
    expect(first?.header(4, 5)).toBe("4");
    expect(second?.header(1, 1)).toBe("");
  });

  it("is checked before any page is created", () => {
    const json = { content: "{{a}}", footer: ["{{b}}", { $each: "c", $show: "" }], header: "{{d?}}{{a}}" };
    expect(issuesOf(json, {})).toEqual([
      "a has no value (content)",
      "b has no value (footer[0])",
      "c has no value (footer[1].$each)",
    ]);
  });
});
