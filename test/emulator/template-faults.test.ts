// cspell:ignore totl
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { examineTemplate } from "../../src/emulator/examine-template.ts";
import { shortPath } from "../../src/emulator/renderer/short-path.ts";
import { formatFault } from "../../src/emulator/renderer/template-fault.ts";
import { Renderers } from "../../src/emulator/renderers.ts";
import { templateFolder, writeFiles } from "./emulated.ts";

type Files = Readonly<Record<string, string>>;

/** Examines the first of some files as a template. Returns its faults as lines. */
async function faultsOf(files: Files, values?: Record<string, unknown>): Promise<string[]> {
  const { folder, examine } = await examiner(files);
  // Relative to the working directory if that is shorter, such as in a clone beside the folder.
  return (await examine(values)).map((fault) => fault.replaceAll(`${shortPath(folder)}/`, ""));
}

async function examiner(files: Files) {
  const folder = await templateFolder(files);
  const renderers = new Renderers({ templates: folder, images: undefined, fonts: undefined }, 1, 60_000);
  onTestFinished(() => renderers.close());
  const [file = ""] = Object.keys(files);
  const template = { uid: "a", file, path: join(folder, file) };
  const examine = async (values?: Record<string, unknown>) => {
    const { faults } = await examineTemplate(template, renderers, {}, { values });
    return faults.map(formatFault);
  };
  return { folder, examine };
}

describe("the faults of a JSON template", () => {
  it("are all reported with line and column", async () => {
    const text = `{
  "content": [
    { "text": "{{a", "colour": "red" },
    { "$if": "b" },
    "{{@totl}}"
  ],
  "footr": ""
}`;
    expect(await faultsOf({ "a.json": text })).toEqual([
      'a.json:3:15, content[0].text: "{{a" is never closed. Add }} after the name.',
      "a.json:3:22, content[0].colour: is unknown, so it has no effect. Did you mean `color`?",
      "a.json:4:14, content[1].$if: needs `$show`. Put the element in `$show`.",
      'a.json:5:5, content[2]: "{{@totl}}" is unknown. The placeholders are {{@number}}, {{@page}}, {{@pages}} and {{@labels.name}}.',
      "a.json:7:3, footr: is unknown, so it has no effect. Did you mean `footer`?",
    ]);
  });

  it("include those that depend on values, at the part of the template that causes them", async () => {
    const text = `{
  "content": [
    "a",
    { "table": { "widths": ["*"],
      "body": [
        ["a", "b"],
        { "$each": "lines", "$show": ["{{a}}",
          { "$if": "b", "$show": { "text": "", "style": "{{b}}" }, "$else": "" }] }
      ] } }
  ]
}`;
    expect(await faultsOf({ "a.json": text }, { lines: [{ a: 1 }] })).toEqual([
      "a.json:4:28, content[1].table.widths: has 1 entry for 2 columns. Write one for each column.",
    ]);
    const fixed = text.replace('["*"]', '"*"');
    expect(await faultsOf({ "a.json": fixed }, { lines: [{ a: 1 }, { a: 2, b: "secret" }] })).toEqual([
      "a.json:8:57, content[1].table.body[1].$show[1].$show.style: is not one of the `styles`. The template has none.",
    ]);
  });

  it.each<[string, string, string]>([
    [
      "a short row",
      '{ "table": { "body": [["a", "b"],\n["c"]] } }',
      "a.json:2:1, content[0].table.body[1]: has 1 cell",
    ],
    [
      "an identical id",
      '{ "text": "", "id": "x" },\n{ "text": "", "id": "x" }',
      "a.json:2:1, content[1]: pdfmake cannot lay out its definition: Node id 'x' already exists",
    ],
    [
      "an image that is missing",
      '"",\n{ "stack": [{ "image": "a.png" }] }',
      "a.json:2:13, content[1].stack[0]: it uses an image file",
    ],
    [
      "a font that is missing",
      '"",\n[{ "ul": ["a", { "text": "b", "font": "X" }] }]',
      "a.json:2:16, content[1][0].ul[1]: a font has no file",
    ],
    [
      "a reference to nothing",
      '{ "pageReference": "x" }',
      "a.json:1:1: pdfmake cannot lay out its definition: Page reference id not found",
    ],
    [
      "an invalid SVG",
      '{ "columns": [\n{ "svg": "<svg" }] }',
      "a.json:2:1, content[0].columns[0]: pdfmake cannot lay out",
    ],
  ])("are located if pdfmake fails: %s", async (_, content, fault) => {
    const [first = ""] = await faultsOf({ "a.json": `{"content":[${content}]}` });
    expect(first.slice(0, fault.length)).toBe(fault);
  });

  it("are located in a footer, which pdfmake requests later", async () => {
    const text = '{"content": "",\n"footer": { "columns": ["a",\n{ "image": "{{a}}.png" }] } }';
    expect((await faultsOf({ "a.json": text }, { a: "logo" }))[0]).toMatch(
      /^a\.json:3:1, footer\.columns\[1\]: it uses an image file/,
    );
  });

  it("are located in the file that the template uses", async () => {
    const files = {
      "a.json": '{"content": [{ "$use": "shared/head.json" }, "b"]}',
      "shared/head.json": '{\n  "columns": ["{{name}}",\n    { "text": "{{total" }]\n}',
    };
    expect(await faultsOf(files)).toEqual([
      'shared/head.json:3:15, content[0].columns[1].text: "{{total" is never closed. Add }} after the name.',
    ]);
  });
});

describe("a file that several templates use", () => {
  const shared = { "shared/rows.json": '{"text": "{{name}} of {{../company}}"}' };

  it("resolves names where it is used, and is read again after it changed", async () => {
    const { folder, examine } = await examiner({
      "a.json": '{"content": [{"$each": "people", "$show": {"$use": "shared/rows.json"}}]}',
      ...shared,
    });
    expect(await examine({ company: "c", people: [{ name: "n" }] })).toEqual([]);
    await writeFiles(folder, { "shared/rows.json": '{"txt": ""}' });
    expect((await examine())[0]).toContain("rows.json:1:2, content[0].$show.txt: is unknown");
  });

  it.each<[Files, string]>([
    [
      { "a.json": '{"content": {"$use": "b.json"}}' },
      "a.json:1:22, content.$use: names a file that is not in the template folder.",
    ],
    [
      { "a.json": '{"content": {"$use": "../../etc/passwd"}}' },
      "names a file that is not in the template folder.",
    ],
    [
      { "a.json": '{"content": {"$use": 1}}' },
      'must be the name of a file, such as "shared/letterhead.json".',
    ],
    [{ "a.json": '{"content": {"$use": "b.json", "bold": true}}' }, "cannot be combined with `bold`."],
    [
      { "a.json": '{"content": {"$use": "b.json"}}', "b.json": '{"stack": [{"$use": "b.json"}]}' },
      "b.json:1:21, stack[0].$use: uses a file that uses itself.",
    ],
    [
      { "a.json": '{"content": {"$use": "b.json"}}', "b.json": '"text"' },
      "b.json:1:1: must be an object or an array",
    ],
    [{ "a.json": '{"content": {"$use": "b.json"}}', "b.json": "{\n," }, "b.json:2:1: expected a value"],
  ])("is reported if it cannot be used: %j", async (files, fault) => {
    expect((await faultsOf(files))[0]).toContain(fault);
  });
});

describe("the faults of a module template", () => {
  it.each<[string, string, string]>([
    [
      "an unknown name",
      "({\n  content: [{ text: 'a', colour: 'red' }],\n})",
      "a.mjs:2:26, content[0].colour: is unknown",
    ],
    [
      "too few widths",
      "({\n  content: { table: {\n    widths: ['*'], body: [['a', 'b']] } },\n})",
      "a.mjs:3:5, content.table.widths: has 1 entry",
    ],
    [
      "a short row",
      "({\n  content: { table: {\n    body: [['a', 'b'], ['c']] } },\n})",
      "a.mjs:3:5, content.table.body[1]: has 1 cell",
    ],
    [
      "an unknown layout",
      "({\n  content: { table: { body: [['a']] },\n  layout: 'none' } })",
      "a.mjs:3:3, content.layout: has an unknown value",
    ],
    [
      "an error in a function",
      "({\n  content: '', footer: () => { throw new Error('no logo'); } })",
      "a.mjs:2:38: no logo",
    ],
    [
      "a wrong footer",
      "({ content: '',\n  footer: () => ({ text: '', colour: 1 }) })",
      "a.mjs:2:30, footer.colour: is unknown",
    ],
    [
      "an image that is missing",
      "({ content: [{\n  image: 'a.png' }] })",
      "a.mjs:1:25, content[0]: it uses an image file",
    ],
    [
      "the same names several times",
      "({ content: [{ text: '' }, { text: '', style: 'a' }, { table: {} }, { table: {} }] })",
      "a.mjs:1:25, content[2].table.body: must be an array",
    ],
    ["null", "null", "a.mjs:1:1: its function returned null"],
  ])("name a line and column: %s", async (_, definition, fault) => {
    const [first = ""] = await faultsOf({ "a.mjs": `export default () => ${definition};` });
    expect(first.slice(0, fault.length)).toBe(fault);
  });
});
