import { describe, expect, it } from "vitest";
import { parseJsonTemplate } from "../../../../src/emulator/renderer/json/json-template.ts";
import { parseErrorOf } from "./json-filling.ts";

const unknownDirective = "is unknown. The directives are `$each`, `$if`, `$show` and `$else`.";
const parseError = (json: unknown) => parseErrorOf(JSON.stringify(json));

describe("an invalid template file", () => {
  const nested = (open: string, close: string, inner = "") => open.repeat(502) + inner + close.repeat(502);
  const noContent = ": has no `content`. Add a property `content` with the content of the document.";
  const noSchema = ", schema: must be a JSON Schema: an object, true or false.";
  const noObject = ': must be one JSON object, such as {"content":["Invoice {{number}}"]}.';
  const noSample = ', sample: must be an object of values, such as {"number":"2026-001"}.';
  const tooDeep = "is nested deeper than 500 levels. Flatten it.";

  it.each<[string, string, string]>([
    ["a trailing comma", '{"content": [\n  "a",\n]}', ":3:1: expected no comma before this"],
    ["an empty file", "", ":1:1: the JSON is empty; expected at least {}"],
    ["an array", "[]", noObject],
    ["null", "null", noObject],
    ["no content", '{"info":{}}', noContent],
    ["an array as sample", '{"content":1,"sample":[]}', noSample],
    ["null as sample", '{"content":1,"sample":null}', noSample],
    ["an array as schema", '{"content":1,"schema":[]}', noSchema],
    [
      "a directive at the top level",
      '{"content":1,"$if":"a"}',
      ", $if: is not allowed at the top level. Put it into `content`.",
    ],
    ["an unknown directive", '{"content":1,"$def":1}', `, $def: ${unknownDirective}`],
    ["content nested too deeply", `{"content":${nested("[", "]")}}`, `, content: ${tooDeep}`],
    [
      "content nested 100,000 levels deep",
      `{"content":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
      `, content: ${tooDeep}`,
    ],
    [
      "a schema nested too deeply",
      `{"content":1,"schema":${nested('{"not":', "}", "{}")}}`,
      `, schema: ${tooDeep}`,
    ],
  ])("is rejected in one line that names the location: %s", (_, text, message) => {
    expect(parseErrorOf(text)).toBe(`invoice.json${message}`);
  });

  it("is named exactly as in the call", () => {
    expect(() => parseJsonTemplate("{}", "a b/c.json")).toThrow(/^a b\/c\.json: has no `content`/);
  });
});

describe("an invalid placeholder", () => {
  const noName = (text: string) =>
    `"${text}" does not name a value. Use a name of letters, digits, _, - and $, or several names joined by dots, such as {{customer.name}}.`;
  const notClosed = (text: string) => `"${text}" is never closed. Add }} after the name.`;
  const noBlocks = (text: string) =>
    `"${text}" is not a placeholder, because strings cannot contain blocks. Use an object with \`$each\` or \`$if\` instead.`;
  const unknown = (text: string) =>
    `"${text}" is unknown. The placeholders are {{@number}}, {{@page}} and {{@pages}}.`;
  const noItem = '"this" is only allowed inside `$each`. Use the name of a value instead.';
  const noCount = "{{@number}} is only allowed inside `$each`.";
  const tooFar = (path: string) => `"${path}" has more ../ than enclosing \`$each\`. Remove one.`;

  it.each([
    ["a {{total", notClosed("{{total")],
    ["{{a and {{b}}", notClosed("{{a and")],
    ["{{a} b", notClosed("{{a} b")],
    [`{{${"a".repeat(200)}`, notClosed(`{{${"a".repeat(77)}…`)],
    ["{{}}", noName("{{}}")],
    ["{{first name}}", noName("{{first name}}")],
    ["{{first\nname}}", noName("{{first name}}")],
    ["{{a..b}}", noName("{{a..b}}")],
    ["{{?}}", noName("{{?}}")],
    ["{{..}}", noName("{{..}}")],
    [`{{${"a.".repeat(100)}a}}`, noName(`{{${"a.".repeat(38)}a…`)],
    ["{{#each lines}}", noBlocks("{{#each lines}}")],
    ["{{/if}}", noBlocks("{{/if}}")],
    ["{{@index}}", unknown("{{@index}}")],
    ["{{../@page}}", unknown("{{../@page}}")],
    ["{{@number}}", noCount],
    ["{{../x}}", tooFar("../x")],
    ["{{this}}", noItem],
    ["{{@page}}", "{{@page}} is only allowed in `header`, `footer` and `background`. Move it there."],
    ["{{@pages}}", "{{@pages}} is only allowed in `header` and `footer`. Move it there."],
  ])("is rejected with its location in the template: %j", (text, message) => {
    expect(parseError({ content: ["", { text }] })).toBe(`invoice.json, content[1].text: ${message}`);
  });

  const each = (text: string) => ({ content: [{ $each: "a", $show: [text] }] });
  const noPages = "{{@pages}} is only allowed in `header` and `footer`. Move it there.";
  const noPage = "{{@page}} is only allowed in `header`, `footer` and `background`. Move it there.";

  it.each([
    ["content[0].$show[0]", each("{{../../x}}"), tooFar("../../x")],
    ["content[0].$show[0]", each("{{../this}}"), noItem.replace('"this', '"../this')],
    ["content[0].$show[0]", each("{{../@number}}"), noCount],
    ["background.text", { content: "", background: { text: "{{@pages}}" } }, noPages],
    ["content[0].header", { content: [{ header: "{{@page}}" }] }, noPage],
  ])("is rejected with the location %s: %j", (place, json, message) => {
    expect(parseError(json)).toBe(`invoice.json, ${place}: ${message}`);
  });
});

describe("an invalid directive", () => {
  const noPath =
    'is not a valid name. Use a name of letters, digits, _, - and $, or several names joined by dots, such as "customer.name".';
  const noArray = "`$each` must be in an array. Wrap it in [ ].";
  const noElement = "needs `$show`. Put the element in it.";
  const noDirective = "needs `$if` or `$each`. Add one of them to the object.";
  const nextTo = (name: string) => `cannot be combined with \`${name}\`. Move it into \`$show\`.`;
  it.each<[unknown, string]>([
    [{ text: { $each: "a", $show: 1 } }, `.text: ${noArray}`],
    [{ text: { $if: "a", $show: { $each: "a", $show: 1 } } }, `.text.$show: ${noArray}`],
    [{ $each: "a" }, `.$each: ${noElement}`],
    [{ $if: "a", $else: 1 }, `.$if: ${noElement}`],
    [{ $show: 1 }, `.$show: ${noDirective}`],
    [{ text: { $else: 1 } }, `.text.$else: ${noDirective}`],
    [{ $each: "a", $show: 1, margin: 2 }, `.margin: ${nextTo("$each")}`],
    [{ text: 1, $if: "a", $show: 1 }, `.text: ${nextTo("$if")}`],
    [{ $each: "a", $if: "b", $show: 1 }, `.$if: ${nextTo("$each")}`],
    [{ $each: "a", $show: 1, $else: 1 }, `.$else: ${nextTo("$each")}`],
    [{ $for: "a" }, `.$for: ${unknownDirective}`],
    [{ $if: "a", $show: 1, $elseif: 2 }, `.$elseif: ${unknownDirective}`],
    [{ text: "a", $unless: "b" }, `.$unless: ${unknownDirective}`],
    [{ $each: ["a"], $show: 1 }, `.$each: ${noPath}`],
    [{ $each: "{{a}}", $show: 1 }, `.$each: ${noPath}`],
    [{ $if: "a?", $show: 1 }, `.$if: ${noPath}`],
    [{ $if: "@page", $show: 1 }, `.$if: ${noPath}`],
    [{ $each: "../a", $show: 1 }, '.$each: "../a" has more ../ than enclosing `$each`. Remove one.'],
    [
      { $if: "this", $show: 1 },
      '.$if: "this" is only allowed inside `$each`. Use the name of a value instead.',
    ],
    [{ $if: "a", $show: 1, $else: ["{{"] }, '.$else[0]: "{{" is never closed.'],
  ])("is rejected with its location in the template: %j", (element, message) => {
    const expected = `invoice.json, content[0]${message}`;
    expect(parseError({ content: [element] }).slice(0, expected.length)).toBe(expected);
  });
});
