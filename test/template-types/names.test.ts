import { describe, expect, it } from "vitest";
import { NameClash, nameDefinitions } from "../../src/template-types/names.ts";
import type { Shape } from "../../src/template-types/shape.ts";
import { writeTypes } from "../../src/template-types/write-types.ts";
import { member, named, object } from "./support/make-shape.ts";

describe("names in a written file", () => {
  it.each([
    ["inv_2024", "inv2024", "Inv2024Values"],
    ["credit-note", "creditNote", "CreditNoteValues"],
    ["Invoice", "invoice", "InvoiceValues"],
    ["INVOICE_UK", "invoiceUk", "InvoiceUkValues"],
    ["PDFInvoice", "pdfInvoice", "PdfInvoiceValues"],
    ["creditNote", "creditNote", "CreditNoteValues"],
    ["a/b.c d", "aBCD", "ABCDValues"],
    ["2024", "template2024", "Template2024Values"],
    ["class", "classTemplate", "ClassValues"],
    ["template", "templateTemplate", "TemplateValues"],
    ["z", "zTemplate", "ZValues"],
    ["undefined", "undefinedTemplate", "UndefinedValues"],
    ["rechnung-größe", "rechnungGröße", "RechnungGrößeValues"],
    ["größe", "größe", "GrößeValues"],
    ["発票", "発票", "発票Values"],
    ["***", "unnamed", "UnnamedValues"],
    ["ß", "ß", "ßValues"],
    ["ǆep", "ǆep", "ǄepValues"],
    ["²", "unnamed", "UnnamedValues"],
  ])("for the uid %s are %s and %s", (uid, constant, values) => {
    const written = writeTypes([named(uid)], { zod: false });
    expect(/^export const (\S+) =/m.exec(written)?.[1]).toBe(constant);
    expect(/^export interface (\S+Values) /m.exec(written)?.[1]).toBe(values);
  });

  it.each([
    ["credit-note", "credit_note", "creditNote", false],
    ["Invoice", "invoice", "invoice", false],
    ["a", "a_schema", "aSchema", true],
    ["e\u0301", "\u00e9", "\u00e9", false],
  ])("are rejected if they would be equal: %s and %s", (a, b, name, zod) => {
    const write = () => writeTypes([named(b), named(a)], { zod });
    expect(write).toThrow(NameClash);
    expect(write).toThrow(
      `The templates "${a}" and "${b}" would both be called "${name}": write one of them to another file.`,
    );
  });

  it("cannot conflict with the names of schemas if no schemas are written", () => {
    expect(() => writeTypes([named("a"), named("a_schema")], { zod: false })).not.toThrow();
  });

  it("of definitions are numbered if they would be equal", () => {
    const names = ["line-item", "lineItem", "values"];
    const of = names.map((name): Shape => ({ kind: "reference", name }));
    const shape = object({ all: member({ kind: "tuple", items: of, rest: undefined }) });
    const definitions = new Map(names.map((name) => [name, object({ [name]: member({ kind: "string" }) })]));
    const written = writeTypes([{ uid: "t", shape, definitions, sources: [] }], { zod: true });
    expect(written.match(/^export (interface|type) \S+/gm)).toEqual([
      "export interface TLineItem",
      "export interface TLineItem2",
      "export interface TValues2",
      "export type TValues",
      "export interface Templates",
    ]);
  });

  it("of 100,000 equal definitions are numbered in linear time", () => {
    const signs = (index: number) => index.toString(2).replaceAll("0", "-").replaceAll("1", ".");
    const definitions = Array.from({ length: 100_000 }, (_, index) => `a${signs(index)}`);
    const names = [...nameDefinitions("t", definitions, new Set(["TA3"])).values()];
    expect(names.slice(0, 4)).toEqual(["TA", "TA2", "TA4", "TA5"]);
  });
});
