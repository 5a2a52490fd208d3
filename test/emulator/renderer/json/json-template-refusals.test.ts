import { describe, expect, it } from "vitest";
import { parseJsonTemplate } from "../../../../src/emulator/renderer/json/json-template.ts";
import { refusalOf } from "./json-filling.ts";

const refusal = (json: unknown) => refusalOf(JSON.stringify(json));

describe("a file is refused, in one line that names the place", () => {
  it.each<[string, string, string]>([
    ["no JSON", '{"content": [\n  "a",\n]}', "invoice.json:3:1: nothing follows the comma before this"],
    ["an empty file", "", "invoice.json:1:1: there is nothing in it; at least {} should stand here"],
    ["an array", "[]", 'invoice.json: must be one JSON object, such as {"content":["Invoice {{number}}"]}.'],
    ["null", "null", 'invoice.json: must be one JSON object, such as {"content":["Invoice {{number}}"]}.'],
    [
      "no content",
      '{"info":{}}',
      "invoice.json: has no `content`. Put what the document shows into a member of that name.",
    ],
    [
      "a sample that is no object",
      '{"content":1,"sample":[]}',
      'invoice.json, sample: must be an object of values, such as {"number":"2026-001"}.',
    ],
    [
      "a sample that is null",
      '{"content":1,"sample":null}',
      'invoice.json, sample: must be an object of values, such as {"number":"2026-001"}.',
    ],
    [
      "a schema that is none",
      '{"content":1,"schema":[]}',
      "invoice.json, schema: must be a JSON Schema: an object, true or false.",
    ],
    [
      "a directive at the top",
      '{"content":1,"$if":"a"}',
      "invoice.json, $if: cannot stand at the top. Put it into `content`.",
    ],
    [
      "content nested too deep",
      `{"content":${"[".repeat(502)}${"]".repeat(502)}}`,
      "invoice.json, content: is nested deeper than 500 levels. Flatten it.",
    ],
    [
      "content nested very deep",
      `{"content":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "invoice.json, content: is nested deeper than 500 levels. Flatten it.",
    ],
    [
      "a schema nested too deep",
      `{"content":1,"schema":${'{"not":'.repeat(502)}{}${"}".repeat(502)}}`,
      "invoice.json, schema: is nested deeper than 500 levels. Flatten it.",
    ],
  ])("%s", (_, text, message) => {
    expect(refusalOf(text)).toBe(message);
  });

  it("and the name of the file is taken as it is given", () => {
    expect(() => parseJsonTemplate("{}", "a b/c.json")).toThrow(/^a b\/c\.json: has no `content`/);
  });
});

const names =
  "Write a name of letters, digits, _, - and $, or several joined by dots, such as {{customer.name}}.";

describe("a text is refused", () => {
  it.each([
    ["braces that are never closed", "a {{total", '"{{total" is never closed. Write }} behind the name.'],
    [
      "braces that are closed only behind the next",
      "{{a and {{b}}",
      '"{{a and" is never closed. Write }} behind the name.',
    ],
    ["half-closed braces", "{{a} b", '"{{a} b" is never closed. Write }} behind the name.'],
    [
      "a long text that is never closed, of which a part is told",
      `{{${"a".repeat(200)}`,
      `"{{${"a".repeat(77)}…" is never closed. Write }} behind the name.`,
    ],
    ["no name", "{{}}", `"{{}}" names no value. ${names}`],
    ["spaces for a name", "{{ }}", `"{{}}" names no value. ${names}`],
    ["a name with a space", "{{first name}}", `"{{first name}}" names no value. ${names}`],
    ["a name with a line break", "{{first\nname}}", `"{{first name}}" names no value. ${names}`],
    ["a dot too many", "{{a..b}}", `"{{a..b}}" names no value. ${names}`],
    ["a dot at the end", "{{a.}}", `"{{a.}}" names no value. ${names}`],
    ["three braces", "{{{a}}}", `"{{{a}}" names no value. ${names}`],
    ["a filter", "{{a | upper}}", `"{{a | upper}}" names no value. ${names}`],
    ["a question mark alone", "{{?}}", `"{{?}}" names no value. ${names}`],
    ["the item further out, with no name", "{{..}}", `"{{..}}" names no value. ${names}`],
    ["names without end", `{{${"a.".repeat(100)}a}}`, `"{{${"a.".repeat(38)}a…" names no value. ${names}`],
    [
      "a block",
      "{{#each lines}}",
      '"{{#each lines}}" is no placeholder: texts have no blocks. An object with `$each` repeats an element, one with `$if` shows or hides it.',
    ],
    [
      "the end of a block",
      "{{/if}}",
      '"{{/if}}" is no placeholder: texts have no blocks. An object with `$each` repeats an element, one with `$if` shows or hides it.',
    ],
    [
      "an unknown name with @",
      "{{@index}}",
      '"{{@index}}" is unknown. Of this kind there are {{@number}}, {{@page}} and {{@pages}}.',
    ],
    [
      "a page further out",
      "{{../@page}}",
      '"{{../@page}}" is unknown. Of this kind there are {{@number}}, {{@page}} and {{@pages}}.',
    ],
    [
      "a number outside of $each",
      "{{@number}}",
      "{{@number}} counts the items of a `$each`, and there is none around it.",
    ],
    [
      "../ at the outermost level",
      "{{../x}}",
      '"../x" goes further out than there are `$each` around it. Take a ../ away.',
    ],
    [
      "this at the outermost level",
      "{{this}}",
      '"this" means the item of a `$each`, and there is none around it. Name a value.',
    ],
    [
      "a page in the content",
      "{{@page}}",
      "{{@page}} is known only in `header`, `footer` and `background`. Move it there.",
    ],
    [
      "the pages in the content",
      "{{@pages}}",
      "{{@pages}} is known only in `header` and `footer`. Move it there.",
    ],
  ])("%s", (_, text, message) => {
    expect(refusal({ content: ["", { text }] })).toBe(`invoice.json, content[1].text: ${message}`);
  });

  it("that asks in the background for the number of all pages, which nobody knows yet", () => {
    expect(refusal({ content: "", background: { text: "{{@pages}}" } })).toBe(
      "invoice.json, background.text: {{@pages}} is known only in `header` and `footer`. Move it there.",
    );
  });

  it("that asks for a page in a header of something that is neither a document nor a section", () => {
    expect(refusal({ content: [{ header: "{{@page}}" }] })).toMatch(
      /^invoice\.json, content\[0\]\.header: \{\{@page\}\}/,
    );
  });

  it("that leads further out than its $each, or counts there", () => {
    const each = (text: string) => refusal({ content: [{ $each: "a", $show: [text] }] });
    expect(each("{{../../x}}")).toBe(
      'invoice.json, content[0].$show[0]: "../../x" goes further out than there are `$each` around it. Take a ../ away.',
    );
    expect(each("{{../this}}")).toMatch(/"\.\.\/this" means the item of a `\$each`/);
    expect(each("{{../@number}}")).toMatch(/\{\{@number\}\} counts the items/);
  });
});

const pathNames =
  'is no name of a value. Write a name of letters, digits, _, - and $, or several joined by dots, such as "customer.name".';

describe("a directive is refused", () => {
  it.each<[string, unknown, string]>([
    [
      "$each where no array is",
      { text: { $each: "a", $show: 1 } },
      "content[0].text: `$each` repeats an element of an array, and this is none. Put [ ] around it.",
    ],
    [
      "$each in an $if where no array is",
      { text: { $if: "a", $show: { $each: "a", $show: 1 } } },
      "content[0].text.$show: `$each` repeats an element of an array, and this is none. Put [ ] around it.",
    ],
    [
      "$each without $show",
      { $each: "a" },
      "content[0].$each: stands without `$show`. Put the element there.",
    ],
    [
      "$if without $show",
      { $if: "a", $else: 1 },
      "content[0].$if: stands without `$show`. Put the element there.",
    ],
    [
      "$show alone",
      { $show: 1 },
      "content[0].$show: stands without `$if` or `$each`. Put one of them beside it.",
    ],
    [
      "$else alone",
      { text: { $else: 1 } },
      "content[0].text.$else: stands without `$if` or `$each`. Put one of them beside it.",
    ],
    [
      "a member beside $each",
      { $each: "a", $show: 1, margin: 2 },
      "content[0].margin: cannot stand beside `$each`. Put it into `$show`.",
    ],
    [
      "a member beside $if",
      { text: 1, $if: "a", $show: 1 },
      "content[0].text: cannot stand beside `$if`. Put it into `$show`.",
    ],
    [
      "$if beside $each",
      { $each: "a", $if: "b", $show: 1 },
      "content[0].$if: cannot stand beside `$each`. Put it into `$show`.",
    ],
    [
      "$else beside $each",
      { $each: "a", $show: 1, $else: 1 },
      "content[0].$else: cannot stand beside `$each`. Put it into `$show`.",
    ],
    [
      "an unknown one",
      { $for: "a" },
      "content[0].$for: is unknown. Of this kind there are `$each`, `$if`, `$show` and `$else`.",
    ],
    [
      "an unknown one beside a known one",
      { $if: "a", $show: 1, $elseif: 2 },
      "content[0].$elseif: is unknown. Of this kind there are `$each`, `$if`, `$show` and `$else`.",
    ],
    [
      "an unknown one among members",
      { text: "a", $unless: "b" },
      "content[0].$unless: is unknown. Of this kind there are `$each`, `$if`, `$show` and `$else`.",
    ],
    ["$each of no text", { $each: ["a"], $show: 1 }, `content[0].$each: ${pathNames}`],
    ["$each of an empty text", { $each: "", $show: 1 }, `content[0].$each: ${pathNames}`],
    ["$each of a placeholder", { $each: "{{a}}", $show: 1 }, `content[0].$each: ${pathNames}`],
    [
      "$if of an optional value, which all are there",
      { $if: "a?", $show: 1 },
      `content[0].$if: ${pathNames}`,
    ],
    ["$if of the page", { $if: "@page", $show: 1 }, `content[0].$if: ${pathNames}`],
    [
      "$each that goes too far out",
      { $each: "../a", $show: 1 },
      'content[0].$each: "../a" goes further out than there are `$each` around it. Take a ../ away.',
    ],
    [
      "$if of the values themselves",
      { $if: "this", $show: 1 },
      'content[0].$if: "this" means the item of a `$each`, and there is none around it. Name a value.',
    ],
    [
      "a mistake in what is not shown",
      { $if: "a", $show: 1, $else: ["{{"] },
      'content[0].$else[0]: "{{" is never closed. Write }} behind the name.',
    ],
  ])("%s", (_, element, message) => {
    expect(refusal({ content: [element] })).toBe(`invoice.json, ${message}`);
  });

  it("an unknown one at the top", () => {
    expect(refusal({ content: 1, $def: 1 })).toMatch(/^invoice\.json, \$def: is unknown\./);
  });
});
