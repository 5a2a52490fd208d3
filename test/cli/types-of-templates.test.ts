import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseJsonTemplate } from "../../src/emulator/renderer/json/json-template.ts";
import { typesOf as playgroundTypesOf } from "../../src/emulator/renderer/types-of-template.ts";
import { errorsIn, expressionOf } from "../template-types/support/compile.ts";
import { folderOf, runTypes } from "./types-command.ts";

/** Runs the command on a template. Returns the properties of the values on one line, and the warnings. */
async function typesOf(template: object | string, words = "invoice.json") {
  const text = typeof template === "string" ? template : JSON.stringify(template);
  const { code, stderr, written } = await runTypes(folderOf({ "invoice.json": text }), words);
  expect(code, stderr).toBe(0);
  const [, body = ""] =
    /^export (?:interface InvoiceValues|type InvoiceValues =) (\{\n(?:.*\n)*?\})/m.exec(written) ?? [];
  const type = body
    .replace(/ *\/\*\*.*\n/g, "")
    .replaceAll(" | undefined", "")
    .replace(/\s+/g, " ")
    .replaceAll("?: | ", "?: ")
    .replaceAll(" ;", ";");
  return { type, warnings: stderr.replaceAll("template-pdf: warning: ", ""), written };
}

const guide = readFileSync(new URL("../../docs/guides/emulator.md", import.meta.url), "utf8");
const [, ofGuide = ""] = /^```json\n(\{\n {2}"schema".*?)^```$/ms.exec(guide) ?? [];

describe("the types of the guide's template", () => {
  it("merge its schema, its sample and its placeholders", async () => {
    const { type, warnings } = await typesOf(ofGuide);
    expect(type).toBe(
      "{ customer: { name: string; }; lines: { amount: string; text: string; }[]; notes?: string[]; number: string; total: string; }",
    );
    expect(warnings).toBe("");
  });

  it("accept its own sample, and are the same in the playground", async () => {
    const { written } = await typesOf(ofGuide);
    const { sample } = JSON.parse(ofGuide) as { sample: unknown };
    const use = `export const sample: InvoiceValues = ${expressionOf(sample)};\n`;
    expect(errorsIn({ "types.ts": written + use })).toEqual([]);
    const file = { uid: "invoice", file: "invoice.json", path: "/invoice.json" };
    expect(playgroundTypesOf(parseJsonTemplate(ofGuide, "invoice.json"), file)).toBe(written);
  });
});

describe("the types of a template in two languages", () => {
  it("contain the value that its locale and its labels come from, and those of the files that it uses", async () => {
    const template = {
      locale: "{{locale}}",
      labels: { en: { total: "Total" }, de: { total: "Summe {{currency}}" } },
      content: ["{{@labels.total}}", { $use: "shared/end.json" }],
    };
    const files = {
      "invoice.json": JSON.stringify(template),
      "shared/end.json": '{ "text": "{{greeting}}" }',
    };
    const { code, stderr, written } = await runTypes(folderOf(files), "invoice.json");
    expect(code, stderr).toBe(0);
    expect(written.match(/^ +\w+\??: string;$/gm)?.map((line) => line.trim())).toEqual([
      "currency: string;",
      "greeting: string;",
      "locale: string;",
    ]);
    expect(stderr).not.toContain("ignored");
  });
});

describe("the types of a template", () => {
  const when = (test: string, show: unknown, otherwise?: unknown) => ({
    $if: test,
    $show: show,
    ...(otherwise === undefined ? {} : { $else: otherwise }),
  });
  const each = (list: string, show: unknown) => ({ $each: list, $show: show });

  it.each<[title: string, content: unknown, type: string]>([
    ["a value that only `$if` tests is optional", [when("paid", "Paid")], "{ paid?: boolean; }"],
    ["a value in `$show` is optional", [when("paid", "{{on}}")], "{ on?: string; paid?: boolean; }"],
    ["a value in `$else` is optional", [when("paid", "", "{{due}}")], "{ due?: string; paid?: boolean; }"],
    ["a value that `$if` tests and shows is optional", [when("note", "{{note}}")], "{ note?: string; }"],
    [
      "a value that is also used outside is required",
      [when("note", "{{note}}"), "{{note}}"],
      "{ note: string; }",
    ],
    [
      "a value that `$is` compares is optional, and has the type of the constant",
      [
        { $if: "country", $is: "DE", $show: "{{vatId}}" },
        { $if: "copies", $is: 2, $show: "Twice" },
      ],
      "{ copies?: number; country?: string; vatId?: string; }",
    ],
    [
      "a value with which `$is` compares is required",
      [{ $if: "buyer.country", $is: "{{seller.country}}", $show: "Domestic" }],
      "{ buyer?: { country?: string; }; seller: { country: string; }; }",
    ],
    [
      "a sum requires its values, unless it may be missing",
      ["{{sum lines.net}} {{sum fees.amount?}}", when("isLong", "{{sum others.net}}")],
      "{ fees?: { amount?: number; }[]; isLong?: boolean; lines: { net: number; }[]; others?: { net?: number; }[]; }",
    ],
    ["an optional placeholder is optional", ["{{note?}}"], "{ note?: string; }"],
    ["a list in `$if` is optional", [when("notes", [each("notes", "{{this}}")])], "{ notes?: string[]; }"],
    [
      "a list outside is required",
      [each("lines", "{{text}} {{note?}}")],
      "{ lines: { note?: string; text: string; }[]; }",
    ],
    [
      "a property of an item is required if the list is in `$if`",
      [when("notes", [each("notes", "{{text}}")])],
      "{ notes?: { text: string; }[]; }",
    ],
    [
      "a property of an item in `$if` is optional",
      [each("lines", when("note", "{{note}} {{../currency}}"))],
      "{ currency?: string; lines: { note?: string; }[]; }",
    ],
    [
      "a property of a tested object is required in it",
      [when("customer", "{{customer.name}} {{date}}")],
      "{ customer?: { name: string; }; date?: string; }",
    ],
    [
      "a property in the opposite of a test is optional",
      [when("customer", "", "{{customer.name}}")],
      "{ customer?: { name?: string; }; }",
    ],
    [
      "a property is optional if an outer `$if` tests something else",
      [when("vip", when("customer", "{{customer.name}}"))],
      "{ customer?: { name?: string; }; vip?: boolean; }",
    ],
    [
      "an inner `$if` makes a property optional again",
      [when("customer", when("vip", "{{customer.name}}"))],
      "{ customer?: { name?: string; }; vip?: boolean; }",
    ],
    [
      "a format decides about the type",
      ['{{total | currency "GBP"}} {{due | date}}'],
      "{ due: string; total: number; }",
    ],
  ])("follow its placeholders: %s", async (_title, content, type) => {
    expect((await typesOf({ content })).type).toBe(type);
  });

  const text = { type: "string" };
  const closed = { type: "object", properties: { a: text }, additionalProperties: false };
  it.each<[title: string, template: object, type: string]>([
    [
      "the sample has the types of what the schema only requires",
      { schema: { required: ["a"] }, sample: { a: [{ b: 1 }] }, content: [each("a", "{{b}}")] },
      "{ a: { b: number; }[]; }",
    ],
    [
      "the schema decides about what it describes",
      { schema: { properties: { a: text } }, sample: { a: 1 }, content: ["{{a}}"] },
      "{ a?: string; }",
    ],
    [
      "a placeholder is added to an open schema",
      { schema: { type: "object", properties: { a: text } }, content: ["{{a}} {{b}}"] },
      "{ a?: string; b: string; }",
    ],
    [
      "a placeholder is not added to a closed schema",
      { schema: closed, sample: { a: "" }, content: ["{{a}} {{b?}}"] },
      "{ a?: string; }",
    ],
    [
      "a placeholder is not added to a map",
      { schema: { type: "object", additionalProperties: text }, content: ["{{a}}"] },
      "",
    ],
    [
      "an object of the schema without properties is completed",
      { schema: { type: "object" }, content: ["{{a}}"] },
      "{ a: string; }",
    ],
    [
      "an object that may be null is completed",
      {
        schema: { properties: { a: { type: ["object", "null"], required: ["b"] } } },
        sample: { a: { b: 1 } },
        content: ["{{a.b}}"],
      },
      "{ a?: { b: number; } | null; }",
    ],
    [
      "a value of the sample that the template does not use is optional",
      { sample: { a: "", b: 1 }, content: ["{{a}}"] },
      "{ a: string; b?: number; }",
    ],
    [
      "a value of the sample in `$if` is optional",
      { sample: { a: "x" }, content: [when("a", "{{a}}")] },
      "{ a?: string; }",
    ],
    [
      "an empty array gets its items from the placeholders",
      { sample: { a: [] }, content: [each("a", "{{b}}")] },
      "{ a: { b: string; }[]; }",
    ],
    ["null in the sample is unknown", { sample: { a: null }, content: ["{{a}}"] }, "{ a: unknown; }"],
    [
      "a placeholder that the sample lacks is added",
      { sample: { a: "" }, content: ["{{a}}", when("b", "{{c}}")] },
      "{ a: string; b?: boolean; c?: string; }",
    ],
  ])("merge their sources: %s", async (_title, template, type) => {
    expect((await typesOf(template)).type).toBe(type);
  });

  it("are recursive if the schema is recursive", async () => {
    const schema = { type: "object", properties: { a: text, b: { $ref: "#" } } };
    const { type } = await typesOf({ schema, sample: { a: "", c: 1 }, content: ["{{a}}"] });
    expect(type).toBe("{ a?: string; b?: InvoiceValues; }");
  });

  it("come from its schema and sample if it is not a template for the emulator", async () => {
    const { type, warnings } = await typesOf({ sample: { a: "" }, content: ["{{a"] });
    expect(type).toBe("{ a: string; }");
    expect(warnings).toBe(
      'invoice.json:1:31, content[0]: "{{a" is never closed. Add }} after the name. Its placeholders were ignored.\n',
    );
  });
});

describe("a warning about `$if`", () => {
  it("has its location", async () => {
    const { warnings } = await typesOf(
      '{\n  "sample": { "note": "" },\n  "content": [{ "$if": "notes", "$show": "" }]\n}',
    );
    expect(warnings).toBe(
      "invoice.json:3:24: `$if` tests notes, which neither the schema nor the sample has. Correct the name, or add it to one of them.\n",
    );
  });

  const properties = { a: { type: "array", items: { type: "object", properties: { b: {} } } }, c: {} };
  const schema = { type: "object", properties };
  it.each<[title: string, template: object, paths: readonly string[]]>([
    [
      "a name that the schema has",
      {
        schema,
        content: [
          { $if: "a", $show: "" },
          { $if: "c.d", $show: "" },
        ],
      },
      [],
    ],
    ["a name that the schema lacks", { schema, content: [{ $if: "x", $show: "" }] }, ["x"]],
    ["a name of an item", { schema, content: [{ $each: "a", $show: { $if: "x", $show: "" } }] }, ["a[].x"]],
    ["a name that only the sample has", { schema, sample: { x: 1 }, content: [{ $if: "x", $show: "" }] }, []],
    [
      "a name inside a value of the sample",
      { sample: { a: { b: 1 } }, content: [{ $if: "a.c", $show: "" }] },
      ["a.c"],
    ],
    [
      "a name that is also shown",
      { sample: { a: 1 }, content: ["{{a}}", { $if: "b", $show: "{{b}}" }] },
      ["b"],
    ],
    [
      "a name of a map",
      { schema: { type: "object", additionalProperties: {} }, content: [{ $if: "x", $show: "" }] },
      [],
    ],
    ["a template without schema and sample", { content: [{ $if: "x", $show: "" }] }, []],
  ])("names what neither the schema nor the sample has: %s", async (_title, template, paths) => {
    const { warnings } = await typesOf(template);
    expect([...warnings.matchAll(/`\$if` tests (\S+), which/g)].map(([, path]) => path)).toEqual(paths);
  });
});

it("a property that is null in every sample is unknown, with a comment and a warning", async () => {
  const samples = [
    { a: null, b: null, c: [null], d: { e: null } },
    { a: null, b: 1, c: [], d: {} },
  ];
  const { type, warnings, written } = await typesOf(JSON.stringify(samples));
  expect(type).toBe("{ a: unknown; b: number | null; c: unknown[]; d: { e?: unknown; }; }");
  expect(written).toContain("  /** Null in every sample. */\n  a: unknown;\n");
  expect(warnings).toBe(
    ["a", "c[]", "d.e"]
      .map(
        (path) =>
          `invoice: ${path} is null in every sample, so its type is unknown. Add a sample with a value.\n`,
      )
      .join(""),
  );
});
