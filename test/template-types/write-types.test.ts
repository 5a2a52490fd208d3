import { describe, expect, it } from "vitest";
import * as zod4 from "zod";
import * as zod3 from "zod-3";
import { template } from "../../src/template.ts";
import type { Shape } from "../../src/template-types/shape.ts";
import { docComment } from "../../src/template-types/source-text.ts";
import { signature, writeTypes } from "../../src/template-types/write-types.ts";
import { run } from "./support/compile.ts";
import { member, named, object } from "./support/make-shape.ts";

const node: Shape = { kind: "reference", name: "node" };
const invoice = named(
  "inv_2024",
  ["samples/invoice.json"],
  object({
    date: member({ kind: "string" }, false, "As printed."),
    lines: member({
      kind: "array",
      items: object({ note: member({ kind: "string" }, true), amount: member({ kind: "string" }) }),
    }),
  }),
);

describe("a written file", () => {
  it("contains schemas, types, a map of templates and constants", () => {
    expect(
      writeTypes([invoice], { zod: true }),
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

/** The type of the values of each template, by uid, for \`new TemplatePdf<Templates>()\`. */
export interface Templates {
  inv_2024: Inv2024Values;
}

/** The template \`inv_2024\`: \`client.generate(inv2024, values)\`. */
export const inv2024 = template("inv_2024", inv2024Schema);
`);
  });

  it("starts with its signature", () => {
    expect(writeTypes([], { zod: true })).toBe(
      `${signature}\n\n/** The type of the values of each template, by uid, for \`new TemplatePdf<Templates>()\`. */\nexport interface Templates {}\n`,
    );
  });

  it("does not depend on the order of templates", () => {
    const templates = [named("b"), named("a"), named("c")];
    const reversed = [...templates].reverse();
    expect(writeTypes(reversed, { zod: true })).toBe(writeTypes(templates, { zod: true }));
  });

  it.each([
    [[], "`t`."],
    [["b", "a"], "`t`, as in a and b."],
    [["e", "d", "c", "b", "a"], "`t`, as in a, b, c, d and e."],
    [["f", "e", "d", "c", "b", "a"], "`t`, as in a, b, c, d, e and 1 more file."],
    [[..."abcdefghijkl"], "`t`, as in a, b, c, d, e and 7 more files."],
  ])("names its sources: %j", (sources, words) => {
    expect(writeTypes([named("t", sources)], { zod: false })).toContain(
      `/** Values of the template ${words} */`,
    );
  });

  it("escapes comment ends and line breaks in uids and sources", () => {
    const written = writeTypes([named("a*/\n\u2028b", ["*/.json"])], { zod: false });
    expect(written).toContain("/** Values of the template `a*\\/  b`, as in *\\/.json. */");
    expect(written).toContain('"a*/\\n\\u2028b"');
  });

  it("writes null after the closing brace of an object", () => {
    const of = [object({ b: member({ kind: "string" }) }), { kind: "null" }] as const;
    const written = writeTypes([named("t", [], object({ a: member({ kind: "union", of }) }))], {
      zod: false,
    });
    expect(written).toContain("  a: {\n    b: string;\n  } | null;\n");
  });

  it("contains each used definition once", () => {
    const definitions = new Map([
      ["node", object({ children: member({ kind: "array", items: node }, true) })],
      ["values", object({ unused: member({ kind: "null" }) })],
    ]);
    const tree = { ...named("tree", [], object({ root: member(node) })), definitions };
    const written = writeTypes([tree], { zod: true });
    expect(written).toContain("export interface TreeNode {\n  children?: TreeNode[] | undefined;\n}\n");
    expect(written).not.toContain("unused");
  });
});

describe("a comment of a written file", () => {
  it.each([
    ["\n \r\n", []],
    ["\n\na\n\n", ["/** a */"]],
    ["\na\n\n b\n", ["/**", " * a", " *", " * b", " */"]],
  ])("has no empty lines at its start and end: %j", (text, lines) => {
    expect(docComment(text)).toEqual(lines);
  });

  it("is written even if its text has 2,000,000 empty lines", () => {
    const lines = "\n".repeat(1_000_000);
    expect(docComment(`${lines}a${lines}`)).toEqual(["/** a */"]);
  });
});

describe("a written schema", () => {
  const number: Shape = { kind: "number" };
  const shape = object({
    open: member(object({ a: member({ kind: "string" }) }, number), true),
    tuple: member({ kind: "tuple", items: [{ kind: "string" }], rest: number }, true),
    root: member(node, true),
    one: member({ kind: "union", of: [{ kind: "literal", value: 1 }, { kind: "null" }] }, true),
  });
  const definitions = new Map([["node", object({ children: member({ kind: "array", items: node }, true) })]]);
  const written = writeTypes([{ uid: "t", shape, definitions, sources: [] }], { zod: true });

  const kind = (value: string, isOptional = false) => member({ kind: "literal", value }, isOptional);
  const card = object({ kind: kind("card"), number: member(number) });
  const iban = object({ kind: kind("iban") });
  it.each<[title: string, of: readonly Shape[], call: string]>([
    [
      "uses a discriminated union for objects with different literals",
      [card, iban],
      'z.discriminatedUnion("kind", ',
    ],
    [
      "uses a plain union for objects with the same literal",
      [card, object({ kind: kind("card") })],
      "z.union(",
    ],
    ["uses a plain union if the literal is optional", [object({ kind: kind("a", true) }), iban], "z.union("],
    ["uses a plain union if an alternative is not an object", [card, iban, { kind: "string" }], "z.union("],
  ])("%s", (_title, of, call) => {
    const text = writeTypes([named("t", [], object({ all: member({ kind: "union", of }) }))], { zod: true });
    expect(text).toContain(`all: ${call}`);
  });

  describe.each(Object.entries({ "zod 3": zod3, "zod 4": zod4 }))("of %s", (_name, zod) => {
    const schema = run(written, { zod, "template-pdf": { template } })["tSchema"] as zod4.ZodType;

    it.each<[success: boolean, values: object]>([
      [true, {}],
      [true, { open: { a: "", b: 1 } }],
      [true, { tuple: ["a", 1, 2] }],
      [true, { root: { children: [{ children: [] }, {}] } }],
      [true, { one: null }],
      [false, { surplus: 1 }],
      [false, { open: { a: "", b: "" } }],
      [false, { open: { b: 1 } }],
      [false, { tuple: [] }],
      [false, { tuple: ["a", "b"] }],
      [false, { root: { children: [{ surplus: 1 }] } }],
      [false, { one: 2 }],
    ])("returns the success %j for %j", (success, values) => {
      expect(schema.safeParse(values)).toMatchObject(success ? { success, data: values } : { success });
    });
  });
});
