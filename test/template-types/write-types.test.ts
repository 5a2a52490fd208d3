import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as zod4 from "zod";
import * as zod3 from "zod-3";
import { template } from "../../src/template.ts";
import { NameClash } from "../../src/template-types/names.ts";
import { Samples } from "../../src/template-types/samples.ts";
import type { Shape } from "../../src/template-types/shape.ts";
import { docComment } from "../../src/template-types/source-text.ts";
import { signature, writeTypes } from "../../src/template-types/write-types.ts";
import { slowProperty } from "../support/fuzz.ts";
import { run } from "./support/compile.ts";
import { anyHostileValues } from "./support/hostile-values.ts";
import { member, named, object } from "./support/make-shape.ts";

const text: Shape = { kind: "string" };
const number: Shape = { kind: "number" };
const node: Shape = { kind: "reference", name: "node" };
const nodes = object({ children: member({ kind: "array", items: node }, true) });

describe("a generated file", () => {
  it("contains schemas, types, constants and a map of templates", () => {
    const line = object({ note: member(text, true), amount: member(text) });
    const shape = object({
      date: member(text, false, "As printed."),
      lines: member({ kind: "array", items: line }),
    });
    expect(
      writeTypes([named("inv_2024", ["samples/invoice.json"], shape)], { zod: true }),
    ).toBe(`// Written by \`template-pdf types\`: run that again instead of editing this file.

import { template } from "template-pdf";
import * as z from "zod";

/** Checks the values of the template \`inv_2024\`, as in samples/invoice.json. */
export const inv2024Schema = z.strictObject({
  /** As printed. */
  date: z.string(),
  lines: z.array(
    z.strictObject({
      amount: z.string(),
      note: z.string().optional(),
    }),
  ),
});

/** Values of the template \`inv_2024\`, as in samples/invoice.json. */
export type Inv2024Values = z.input<typeof inv2024Schema>;

/** The type of each template's values, by uid, for \`new TemplatePdf<Templates>()\`. */
export interface Templates {
  inv_2024: Inv2024Values;
}

/** The template \`inv_2024\`: \`client.generate(inv2024, values)\`. */
export const inv2024 = template("inv_2024", inv2024Schema);
`);
  });

  it("does not depend on the order of the templates", () => {
    const templates = [named("b"), named("a")];
    const written = writeTypes(templates, { zod: true });
    expect(written.startsWith(`${signature}\n\n`)).toBe(true);
    expect(writeTypes(templates.reverse(), { zod: true })).toBe(written);
  });

  it.each([
    [["b", "a"], "`t`, as in a and b."],
    [["f", "e", "d", "c", "b", "a"], "`t`, as in a, b, c, d, e and 1 more file."],
    [[..."abcdefghijkl"], "`t`, as in a, b, c, d, e and 7 more files."],
  ])("lists up to five sources of a template: %j", (sources, words) => {
    const written = writeTypes([named("t", sources)], { zod: false });
    expect(written).toContain(`/** Values of the template ${words} */`);
  });

  it("stays valid if uids or sources contain comment terminators or line breaks", () => {
    const written = writeTypes([named("a*/\n\u2028b", ["*/.json"])], { zod: false });
    expect(written).toContain("/** Values of the template `a*\\/  b`, as in *\\/.json. */");
    expect(written).toContain('"a*/\\n\\u2028b"');
  });

  it("contains each used definition once, and omits unused definitions", () => {
    const definitions = new Map([
      ["node", nodes],
      ["values", object({ unused: member({ kind: "null" }) })],
    ]);
    const tree = { ...named("tree", [], object({ root: member(node) })), definitions };
    const written = writeTypes([tree], { zod: true });
    expect(written).toContain("export interface TreeNode {\n  children?: TreeNode[] | undefined;\n}\n");
    expect(written).not.toContain("unused");
  });

  it.each([
    ["inv_2024", "inv2024", "Inv2024Values"],
    ["INVOICE_UK", "invoiceUk", "InvoiceUkValues"],
    ["PDFInvoice", "pdfInvoice", "PdfInvoiceValues"],
    ["a/b.c d", "aBCD", "ABCDValues"],
    ["2024", "template2024", "Template2024Values"],
    ["class", "classTemplate", "ClassValues"],
    ["template", "templateTemplate", "TemplateValues"],
    ["rechnung-größe", "rechnungGröße", "RechnungGrößeValues"],
    ["***", "unnamed", "UnnamedValues"],
  ])('maps the uid "%s" to the exports %s and %s', (uid, constant, values) => {
    const written = writeTypes([named(uid)], { zod: false });
    expect(/^export const (\S+) =/m.exec(written)?.[1]).toBe(constant);
    expect(/^export interface (\S+Values) /m.exec(written)?.[1]).toBe(values);
  });

  it.each([
    ["credit-note", "credit_note", "creditNote", false],
    ["a", "a_schema", "aSchema", true],
    ["e\u0301", "\u00e9", "\u00e9", false],
  ])("is not written if two uids would produce the same export name: %s and %s", (a, b, name, zod) => {
    const write = () => writeTypes([named(b), named(a)], { zod });
    expect(write).toThrow(NameClash);
    expect(write).toThrow(
      `The templates "${a}" and "${b}" would both be called "${name}": write one of them to another file.`,
    );
  });

  it("contains numbered names for definitions that would otherwise clash", () => {
    const names = ["line-item", "lineItem", "values"];
    const members = names.map((name) => [name, member({ kind: "reference", name })]);
    const definitions = new Map(names.map((name) => [name, object({ [name]: member(text) })]));
    const template = { ...named("t", [], object(Object.fromEntries(members))), definitions };
    const types = writeTypes([template], { zod: true }).match(/(?<=^export (?:interface|type) )\S+/gm);
    expect(types).toEqual(["TLineItem", "TLineItem2", "TValues2", "TValues", "Templates"]);
  });
});

it("a generated comment does not start or end with an empty line", () => {
  expect(docComment("\na\n\n b\n")).toEqual(["/**", " * a", " *", " * b", " */"]);
});

describe("a generated schema", () => {
  const shape = object({
    open: member(object({ a: member(text) }, number), true),
    tuple: member({ kind: "tuple", items: [text], rest: number, minItems: 1 }, true),
    root: member(node, true),
    one: member({ kind: "union", of: [{ kind: "literal", value: 1 }, { kind: "null" }] }, true),
  });
  const recursive = { ...named("t", [], shape), definitions: new Map([["node", nodes]]) };
  const written = writeTypes([recursive], { zod: true });

  const kind = (value: string, isOptional = false) => member({ kind: "literal", value }, isOptional);
  const card = object({ kind: kind("card"), number: member(number) });
  const iban = object({ kind: kind("iban") });
  const tagged = (value: string) => object({ ["__proto__"]: kind(value) });
  it.each<[title: string, of: readonly Shape[], call: string]>([
    ["a discriminated union if the literals differ", [card, iban], 'z.discriminatedUnion("kind", '],
    ["a plain union if a literal is repeated", [card, object({ kind: kind("card") })], "z.union("],
    ["a plain union if a literal is optional", [object({ kind: kind("a", true) }), iban], "z.union("],
    ["a plain union if an alternative is not an object", [card, iban, text], "z.union("],
    ["a plain union if zod ignores the property", [tagged("a"), tagged("b")], "z.union("],
  ])("uses %s", (_title, of, call) => {
    const union = named("t", [], object({ all: member({ kind: "union", of }) }));
    expect(writeTypes([union], { zod: true })).toContain(`all: ${call}`);
  });

  describe.each(Object.entries({ "zod 3": zod3, "zod 4": zod4 }))("that uses %s", (_name, zod) => {
    const schema = run(written, { zod, "template-pdf": { template } })["tSchema"] as zod4.ZodType;

    it.each<[success: boolean, values: object]>([
      [true, {}],
      [true, { open: { a: "", b: 1 }, tuple: ["a", 1, 2], root: { children: [{}] }, one: null }],
      [false, { surplus: 1 }],
      [false, { open: { a: "", b: "" } }],
      [false, { tuple: ["a", "b"] }],
      [false, { root: { children: [{ surplus: 1 }] } }],
      [false, { one: 2 }],
    ])("returns `success: %j` for %j", (success, values) => {
      expect(schema.safeParse(values)).toMatchObject(success ? { success, data: values } : { success });
    });

    slowProperty("accepts the sample that it was written for, whatever the names of its properties", () =>
      fc.property(anyHostileValues, (values) => {
        const samples = new Samples();
        samples.add(values);
        const code = writeTypes([named("t", [], samples.shape())], { zod: true });
        const found = run(code, { zod, "template-pdf": { template } })["tSchema"] as zod4.ZodType;
        expect(found.safeParse(values).error).toBeUndefined();
        // A plain `__proto__` would set the prototype of the properties.
        expect(code).not.toMatch(/^ *"?__proto__"?: z\./m);
      }),
    );
  });
});
