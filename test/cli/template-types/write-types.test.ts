import { describe, expect, it } from "vitest";
import * as zod4 from "zod";
import * as zod3 from "zod-3";
import type { Shape } from "../../../src/cli/template-types/shape.ts";
import { signature, writeTypes } from "../../../src/cli/template-types/write-types.ts";
import { template } from "../../../src/template.ts";
import { run } from "./support/compile.ts";
import { member, named, object } from "./support/make-shape.ts";

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
  it("has types, a map of them and constants", () => {
    expect(
      writeTypes([invoice], { zod: false }),
    ).toBe(`// Written by \`template-pdf types\`: run that again instead of editing this file.

import { template } from "template-pdf";

/** Values of the template \`inv_2024\`, as in samples/invoice.json. */
export interface Inv2024Values {
  /** As printed. */
  date: string;
  lines: {
    amount: string;
    note?: string | undefined;
  }[];
}

/** The values of each template by its uid, for \`new TemplatePdf<Templates>()\`. */
export interface Templates {
  inv_2024: Inv2024Values;
}

/** The template \`inv_2024\`: \`client.generate(inv2024, values)\`. */
export const inv2024 = template<Inv2024Values, "inv_2024">("inv_2024");
`);
  });

  it("has schemas where they are asked for", () => {
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

/** The values of each template by its uid, for \`new TemplatePdf<Templates>()\`. */
export interface Templates {
  inv_2024: Inv2024Values;
}

/** The template \`inv_2024\`: \`client.generate(inv2024, values)\`. */
export const inv2024 = template("inv_2024", inv2024Schema);
`);
  });

  it("begins with what it is known by", () => {
    expect(writeTypes([], { zod: true })).toBe(
      `${signature}\n\n/** The values of each template by its uid, for \`new TemplatePdf<Templates>()\`. */\nexport interface Templates {}\n`,
    );
  });

  it("is the same in whatever order templates come", () => {
    const templates = [named("b"), named("a"), named("B"), named("c")].filter(({ uid }) => uid !== "B");
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

  it("is not ended by a comment that ends, nor by a line in a uid", () => {
    const written = writeTypes([named("a*/\n\u2028b", ["*/.json"])], { zod: false });
    expect(written).toContain("/** Values of the template `a*\\/  b`, as in *\\/.json. */");
    expect(written).toContain('"a*/\\n\\u2028b"');
  });

  it("keeps an object and null on their lines", () => {
    const of = [object({ b: member({ kind: "string" }) }), { kind: "null" }] as const;
    const shape = object({ a: member({ kind: "union", of }) });
    const written = writeTypes([named("t", [], shape)], { zod: false });
    expect(written).toContain("  a: {\n    b: string;\n  } | null;\n");
  });

  it("names the definitions that are needed, once each", () => {
    const node: Shape = { kind: "reference", name: "node" };
    const tree = {
      ...named("tree", [], object({ root: member(node) })),
      definitions: new Map([
        ["node", object({ children: member({ kind: "array", items: node }, true) })],
        ["values", object({ unused: member({ kind: "null" }) })],
      ]),
    };
    const written = writeTypes([tree], { zod: true });
    expect(written).toContain("export interface TreeNode {\n  children?: TreeNode[] | undefined;\n}\n");
    expect(written).not.toContain("unused");
  });
});

describe("a schema", () => {
  const number: Shape = { kind: "number" };
  const node: Shape = { kind: "reference", name: "node" };
  const shape = object({
    open: member(object({ a: member({ kind: "string" }) }, number), true),
    tuple: member({ kind: "tuple", items: [{ kind: "string" }], rest: number }, true),
    root: member(node, true),
    one: member({ kind: "union", of: [{ kind: "literal", value: 1 }, { kind: "null" }] }, true),
  });
  const definitions = new Map([["node", object({ children: member({ kind: "array", items: node }, true) })]]);
  const written = writeTypes([{ uid: "t", shape, definitions, sources: [] }], { zod: true });

  const card = object({ kind: member({ kind: "literal", value: "card" }), number: member(number) });
  const iban = object({ kind: member({ kind: "literal", value: "iban" }) });
  it.each<[title: string, of: readonly Shape[], call: string]>([
    ["by a literal", [card, iban], 'z.discriminatedUnion("kind", '],
    [
      "but not where they share it",
      [card, object({ kind: member({ kind: "literal", value: "card" }) })],
      "z.union(",
    ],
    [
      "but not where one may leave it out",
      [object({ kind: member({ kind: "literal", value: "a" }, true) }), iban],
      "z.union(",
    ],
    ["but not where another is no object", [card, iban, { kind: "string" }], "z.union("],
  ])("tells objects apart %s", (_title, of, call) => {
    const text = writeTypes([named("t", [], object({ all: member({ kind: "union", of }) }))], { zod: true });
    expect(text).toContain(`all: ${call}`);
  });

  describe.each(Object.entries({ "zod 3": zod3, "zod 4": zod4 }))("of %s", (_name, zod) => {
    const schema = run(written, { zod, "template-pdf": { template } })["tSchema"] as zod4.ZodType;

    it.each([
      [{}],
      [{ open: { a: "", b: 1 } }],
      [{ tuple: ["a", 1, 2] }],
      [{ root: { children: [{ children: [] }, {}] } }],
      [{ one: null }],
    ])("lets %j through", (values) => {
      expect(schema.parse(values)).toEqual(values);
    });

    it.each([
      [{ surplus: 1 }],
      [{ open: { a: "", b: "" } }],
      [{ open: { b: 1 } }],
      [{ tuple: [] }],
      [{ tuple: ["a", "b"] }],
      [{ root: { children: [{ surplus: 1 }] } }],
      [{ one: 2 }],
    ])("refuses %j", (values) => {
      expect(schema.safeParse(values).success).toBe(false);
    });
  });
});
