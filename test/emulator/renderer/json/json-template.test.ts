import { describe, expect, it } from "vitest";
import { contentOf, definitionOf, issuesOf, type PagePart } from "./json-filling.ts";

describe("a placeholder", () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ["a number", "{{count}}", { count: -0.5 }, "-0.5"],
    ["a boolean", "{{paid}}", { paid: false }, "false"],
    ["null as an empty string", "[{{note}}]", { note: null }, "[]"],
    ["a nested property", "{{buyer.address.city}}", { buyer: { address: { city: "Łódź" } } }, "Łódź"],
    ["an item by its index", "{{lines.1.price}}", { lines: [{}, { price: 7 }] }, "7"],
    ["spaces inside the braces", "{{ a }}{{\ta\n}}", { a: 1 }, "11"],
    ["names with ö, -, $ and _", "{{größe}}{{a-b}}{{$c_d}}", { größe: 1, "a-b": 2, $c_d: 3 }, "123"],
    ["an optional value that is missing", "[{{note?}}]", {}, "[]"],
    ["an optional property of a missing object", "[{{a.b.c?}}]", { a: "text" }, "[]"],
    ["a value with braces, which is not expanded again", "{{a}}", { a: "{{b}} \\{{" }, "{{b}} \\{{"],
    ["an own property named like an inherited property", "{{constructor}}", { constructor: "c" }, "c"],
    ["all values by the name `this`", "{{this.a}}", { a: 1 }, "1"],
  ])("accepts %s", (_, text, values, expected) => {
    expect(contentOf(text, values)).toBe(expected);
  });

  it.each([
    ["escaped braces", "\\{{total}}", "{{total}}"],
    ["an escaped backslash before a placeholder", "C:\\\\{{a}}", "C:\\1"],
    ["backslashes elsewhere", "\\a\\{\\\\", "\\a\\{\\\\"],
  ])("is recognised correctly in a text with %s", (_, text, expected) => {
    expect(contentOf(text, { a: 1 })).toBe(expected);
  });

  it("can be in any string in the definition, but not in a property name", () => {
    const json = {
      content: [{ text: ["{{a}}", { link: "/{{a}}" }] }],
      styles: { "{{a}}": { color: "{{a}}" } },
    };
    const filled = { content: [{ text: ["A", { link: "/A" }] }], styles: { "{{a}}": { color: "A" } } };
    expect(definitionOf(json, { a: "A" })).toEqual(filled);
  });

  it("is escaped in an SVG string, unlike the rest of the string", () => {
    const json = { svg: '<text a="{{a}}">{{a}} &amp; \\{{</text>' };
    expect(contentOf(json, { a: `<&>"'` })).toEqual({
      svg: '<text a="&#60;&#38;&#62;&#34;&#39;">&#60;&#38;&#62;&#34;&#39; &amp; {{</text>',
    });
    const chosen = { svg: { $if: "a", $show: "{{a}}" } };
    expect(contentOf(chosen, { a: "<" })).toEqual({ svg: "&#60;" });
  });
});

describe("$each", () => {
  it("creates an element for each item and resolves names in the item", () => {
    const each = { $each: "lines", $show: ["{{item}}", "{{price}}"] };
    const body = [["Item", "Price"], each, ["Total", "{{total}}"]];
    const lines = JSON.parse('[{ "item": "Ink", "price": 1 }, { "item": "Pen", "price": 2 }]');
    const values = { total: 3, lines };
    const rows = ["Item Price", "Ink 1", "Pen 2", "Total 3"].map((row) => row.split(" "));
    expect(contentOf({ table: { body } }, values)).toEqual({ table: { body: rows } });
  });

  it("has access to the item, its number and the outer scopes", () => {
    const inner = { $each: "tags", $show: "{{@number}} {{this}} {{../name}} {{../@number}} {{../../total}}" };
    const lines = JSON.parse('[{ "name": "a", "tags": ["x", "y"] }, { "name": "b", "tags": ["z"] }]');
    const values = { total: 9, lines };
    expect(contentOf([{ $each: "lines", $show: [inner] }], values)).toEqual([
      ["1 x a 1 9", "2 y a 1 9"],
      ["1 z b 2 9"],
    ]);
  });

  it("can iterate over a nested property, a property of an outer scope, or the item itself", () => {
    const cells = { $each: "this", $show: "{{this}}{{../../order.unit}}" };
    const rows = { $each: "order.rows", $show: [cells, { $each: "../order.notes", $show: "{{this}}" }] };
    const values = { order: { unit: "g", rows: [[1, 2], [3]], notes: ["n"] } };
    expect(contentOf([rows], values)).toEqual([
      ["1g", "2g", "n"],
      ["3g", "n"],
    ]);
  });

  it("can be next to other elements or inside another $each or $if, and can iterate over an empty array or null", () => {
    const lines = { $each: "lines", $show: "{{this}}" };
    const groups = { $each: "groups", $show: { $if: "lines", $show: lines, $else: "none" } };
    const values = { groups: [{ lines: [1, 2] }, { lines: [] }, { lines: [3] }] };
    expect(contentOf(["first", groups, "last"], values)).toEqual(["first", "1", "2", "none", "3", "last"]);
    for (const none of [[], null]) expect(contentOf(["a", lines], { lines: none })).toEqual(["a"]);
  });

  it("removes a table without rows, which pdfmake cannot draw", () => {
    const body = [{ $each: "lines", $show: ["{{this}}"] }];
    const table = { table: { body }, layout: { hLineWidth: 1 }, margin: [0, 9] };
    const filled = { table: { body: [["a"]] }, margin: [0, 9] };
    expect(contentOf([table], { lines: [] })).toEqual([{ margin: [0, 9], text: "" }]);
    expect(contentOf([table], { lines: ["a"] })).toMatchObject([filled]);
  });
});

describe("$if", () => {
  const choice = { $if: "note", $show: "{{note?}}!", $else: "none" };

  it.each([undefined, null, false, "", []])("uses $else for the value %j", (note) => {
    expect(contentOf([choice], { note })).toEqual(["none"]);
    expect(contentOf({ text: choice }, { note })).toEqual({ text: "none" });
  });

  it.each([0, " ", true, {}, [null]])("uses $show for the value %j", (note) => {
    expect(contentOf([{ $if: "note", $show: "shown" }], { note })).toEqual(["shown"]);
  });

  it("without $else, omits the element in an array and shows an empty string elsewhere", () => {
    const hidden = { $if: "a.b.c", $show: "shown" };
    expect(contentOf(["first", hidden, "last"], { a: 1 })).toEqual(["first", "last"]);
    expect(contentOf({ text: hidden, stack: [[hidden]] })).toEqual({ text: "", stack: [[]] });
    expect(contentOf(hidden)).toBe("");
  });
});

describe("a header, footer or background", () => {
  it("has access to the page number and the page count", () => {
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

  it("can belong to a section, and can then also be pdfmake's `inherit` or null", () => {
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
