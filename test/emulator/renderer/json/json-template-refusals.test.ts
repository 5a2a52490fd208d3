import { describe, expect, it } from "vitest";
import { parseErrorOf } from "./json-filling.ts";

const unknownDirective =
  "is unknown. The directives are `$each`, `$if`, `$is`, `$show`, `$else`, `$all` and `$use`.";
const parseError = (json: unknown) => parseErrorOf(JSON.stringify(json));

describe("an invalid template file", () => {
  const deepArray = "[".repeat(502) + "]".repeat(502);
  const deepSchema = `${'{"not":'.repeat(502)}{}${"}".repeat(502)}`;
  const noContent = ": has no `content`. Add a `content` property with the content of the document.";
  const noSchema = ", schema: must be a JSON Schema: an object, true or false.";
  const noObject = ': must be one JSON object, such as {"content":["Invoice {{number}}"]}.';
  const noSample = ', sample: must be an object with values, such as {"number":"2026-001"}.';
  const notAtTop = ", $if: is not allowed at the top level. Put it into `content`.";
  const tooDeep = "is nested deeper than 500 levels. Flatten it.";

  it.each<[string, string, string]>([
    ["a trailing comma", '{"content": [\n  "a",\n]}', ": unexpected comma before this"],
    ["an array instead of an object", "[]", noObject],
    ["no `content` property", '{"info":{}}', noContent],
    ["an array as `sample`", '{"content":1,"sample":[]}', noSample],
    ["an array as `schema`", '{"content":1,"schema":[]}', noSchema],
    ["a directive at the top level", '{"content":1,"$if":"a"}', notAtTop],
    ["an unknown directive", '{"content":1,"$def":1}', `, $def: ${unknownDirective}`],
    ["content that is nested too deeply", `{"content":${deepArray}}`, `, content: ${tooDeep}`],
    ["a schema that is nested too deeply", `{"content":1,"schema":${deepSchema}}`, `, schema: ${tooDeep}`],
  ])("is rejected with a one-line message and a location if the file contains %s", (_, text, message) => {
    expect(parseErrorOf(text)).toBe(`invoice.json${message}`);
  });
});

describe("an invalid placeholder", () => {
  const noName = (text: string) =>
    `"${text}" does not name a value. Use a name of letters, digits, _, - and $, or several names joined by dots, such as {{customer.name}}.`;
  const notClosed = (text: string) => `"${text}" is never closed. Add }} after the name.`;
  const noBlocks = (text: string) =>
    `"${text}" is not a placeholder, because strings cannot contain blocks. Use an object with \`$each\` or \`$if\` instead.`;
  const unknown = (text: string) =>
    `"${text}" is unknown. The placeholders are {{@number}}, {{@page}}, {{@pages}} and {{@labels.name}}.`;
  const noItem = '"this" is only allowed inside `$each`. Use the name of a value instead.';
  const noCount = "{{@number}} is only allowed inside `$each`.";
  const noPages = "{{@pages}} is only allowed in `header` and `footer`. Move it there.";
  const noPage = "{{@page}} is only allowed in `header`, `footer` and `background`. Move it there.";
  const tooFar = (path: string) =>
    `"${path}" has more ../ segments than there are enclosing \`$each\` blocks. Remove a segment.`;

  it.each([
    ["a {{total", notClosed("{{total")],
    [`{{${"a".repeat(200)}`, notClosed(`{{${"a".repeat(77)}…`)],
    ["{{first name}}", noName("{{first name}}")],
    ["{{a..b}}", noName("{{a..b}}")],
    [`{{${"a.".repeat(100)}a}}`, noName(`{{${"a.".repeat(38)}a…`)],
    ["{{#each lines}}", noBlocks("{{#each lines}}")],
    ["{{@index}}", unknown("{{@index}}")],
    ["{{@number}}", noCount],
    ["{{../x}}", tooFar("../x")],
    ["{{this}}", noItem],
    ["{{@page}}", noPage],
  ])("is reported with its location in the template: %j", (text, message) => {
    expect(parseError({ content: ["", { text }] })).toBe(`invoice.json, content[1].text: ${message}`);
  });

  const each = (text: string) => ({ content: [{ $each: "a", $show: [text] }] });

  it.each([
    ["content[0].$show[0]", each("{{../../x}}"), tooFar("../../x")],
    ["content[0].$show[0]", each("{{../@number}}"), noCount],
    ["background.text", { content: "", background: { text: "{{@pages}}" } }, noPages],
    ["content[0].header", { content: [{ header: "{{@page}}" }] }, noPage],
  ])("is reported with the location `%s`: %j", (place, json, message) => {
    expect(parseError(json)).toBe(`invoice.json, ${place}: ${message}`);
  });
});

describe("an invalid directive", () => {
  const noPath =
    'is not a valid name. Use a name of letters, digits, _, - and $, or several names joined by dots, such as "customer.name".';
  const noArray = "`$each` must be in an array. Wrap it in [ ].";
  const noElement = "needs `$show`. Put the element in `$show`.";
  const noDirective = "needs `$if` or `$each`. Add one of them to the object.";
  const nextTo = (name: string) => `cannot be combined with \`${name}\`. Move it into \`$show\`.`;
  it.each<[unknown, string]>([
    [{ text: { $each: "a", $show: 1 } }, `.text: ${noArray}`],
    [{ $each: "a" }, `.$each: ${noElement}`],
    [{ $if: "a", $else: 1 }, `.$if: ${noElement}`],
    [{ $show: 1 }, `.$show: ${noDirective}`],
    [{ $each: "a", $show: 1, margin: 2 }, `.margin: ${nextTo("$each")}`],
    [{ $each: "a", $if: "b", $show: 1 }, `.$if: ${nextTo("$each")}`],
    [{ $each: "a", $show: 1, $else: 1 }, `.$else: ${nextTo("$each")}`],
    [{ $for: "a" }, `.$for: ${unknownDirective}`],
    [{ $if: "a?", $show: 1 }, `.$if: ${noPath}`],
  ])("is reported with its location in the template: %j", (element, message) => {
    const expected = `invoice.json, content[0]${message}`;
    expect(parseError({ content: [element] }).slice(0, expected.length)).toBe(expected);
  });
});
