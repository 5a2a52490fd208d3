import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConfigurationError, TemplatePdf, template, ValuesError } from "../src/index.ts";
import type { StandardSchemaV1 } from "../src/standard-schema.ts";
import type { Template } from "../src/template.ts";
import { property } from "./support/fuzz.ts";

/** Generates a document from a template; gives the values that were sent. */
async function send(given: Template | string, values: unknown): Promise<unknown> {
  const bodies: string[] = [];
  const pdfs = new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "k3y",
    fetch: async (_url, { body }) => {
      bodies.push(body);
      return new Response("%PDF-1.7\n%%EOF\n");
    },
  });
  await pdfs.generate(given as string, values as object).bytes();
  expect(bodies).toHaveLength(1);
  return JSON.parse(bodies[0] ?? "");
}

/** Generates a document in vain; gives the error, after which nothing was sent. */
async function refusal(given: Template | string, values: unknown): Promise<unknown> {
  let sent = false;
  const pdfs = new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "k3y",
    fetch: async () => {
      sent = true;
      return new Response();
    },
  });
  const error = await pdfs
    .generate(given as string, values as object)
    .bytes()
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  expect(sent).toBe(false);
  return error;
}

/** A schema of another make, in the fewest words. */
function schemaOf(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { "~standard": { version: 1, vendor: "test", validate: validate as never } };
}

describe("a template", () => {
  it("is its uid and its schema, and cannot be changed", () => {
    const schema = z.object({ a: z.string() });
    const invoice = template("inv_2024", schema);
    expect(invoice).toEqual({ uid: "inv_2024", schema });
    expect(Object.isFrozen(invoice)).toBe(true);
    expect(template("inv_2024")).toEqual({ uid: "inv_2024", schema: undefined });
  });

  it("without a schema sends the values as they are", async () => {
    expect(await send(template("inv_2024"), { a: 1 })).toEqual({ a: 1 });
  });

  it("with a uid that cannot be sent is refused when it is used", async () => {
    expect(await refusal(template(".."), {})).toBeInstanceOf(ConfigurationError);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a plain object", {}],
    ["a class", z.ZodObject],
    ["a function that validates", (value: unknown) => value],
    ["a JSON schema", { type: "object", properties: {} }],
    ["a schema without validate", { "~standard": { version: 1, vendor: "x" } }],
  ])("whose schema is %s is refused at once", (_, schema) => {
    const make = () => template("inv_2024", schema as StandardSchemaV1);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/"inv_2024" is no Standard Schema/);
  });
});

const lineShape = { text: z.string(), price: z.number().transform((price) => `£${price.toFixed(2)}`) };
const shape = {
  date: z.coerce.date(),
  currency: z.string().default("GBP"),
  lines: z.array(z.object(lineShape)).min(1),
  note: z.string().trim().optional(),
};
const schemas: [string, StandardSchemaV1][] = [
  ["a synchronous schema", z.object(shape)],
  ["an asynchronous schema", z.object({ ...shape, currency: shape.currency.refine(async () => true) })],
];

describe.each(schemas)("%s", (_, schema) => {
  const invoice = template("inv_2024", schema);

  it("gives what is sent: transforms, defaults, unknown members left out", async () => {
    const values = { date: "2026-11-20", lines: [{ text: "Paper", price: 2 }], note: " hi ", extra: 1 };
    expect(await send(invoice, values)).toEqual({
      date: "2026-11-20T00:00:00.000Z",
      currency: "GBP",
      lines: [{ text: "Paper", price: "£2.00" }],
      note: "hi",
    });
    expect(values.note).toBe(" hi ");
  });

  it("names every path at which it refuses the values, and the uid, and no value", async () => {
    const values = {
      date: "2026-11-20",
      currency: 7,
      lines: [
        { text: "CANARY", price: 1 },
        { text: 1, price: "CANARY" },
      ],
    };
    const error = (await refusal(invoice, values)) as ValuesError;
    expect(error).toBeInstanceOf(ValuesError);
    expect(error.uid).toBe("inv_2024");
    expect(error.issues.map(({ path }) => path)).toEqual([
      ["currency"],
      ["lines", 1, "text"],
      ["lines", 1, "price"],
    ]);
    expect(error.message).toMatch(
      /^The values for template "inv_2024" cannot be sent: values\.currency .*; values\.lines\[1\]\.text .*; values\.lines\[1\]\.price .*Nothing was sent\.$/,
    );
    expect(JSON.stringify(error) + error.message).not.toContain("CANARY");
  });

  it.each([undefined, null, "text", [], 7])("refuses %j", async (values) => {
    expect(await refusal(invoice, values)).toBeInstanceOf(ValuesError);
  });
});

describe("what a schema gives is checked like any values", () => {
  it.each<[string, StandardSchemaV1]>([
    ["at once", schemaOf(() => ({ value: { lines: [{ price: Number.NaN }] } }))],
    ["later", schemaOf(async () => ({ value: { lines: [{ price: Number.NaN }] } }))],
    [
      "later, by a promise of another make",
      schemaOf(() => ({
        // biome-ignore lint/suspicious/noThenProperty: this is the test.
        then: (resolve: (result: unknown) => void) => resolve({ value: { lines: [{ price: Number.NaN }] } }),
      })),
    ],
  ])("%s", async (_, schema) => {
    const error = (await refusal(template("inv_2024", schema), {})) as ValuesError;
    expect(error.message).toMatch(/values\.lines\[0\]\.price is NaN/);
  });

  it("so that a Map is no document's values", async () => {
    const schema = z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) });
    expect(await refusal(template("t", schema), { tags: [] })).toMatchObject({
      issues: [{ path: ["tags"] }],
    });
  });
});

describe("a schema that breaks its word", () => {
  it.each<[string, StandardSchemaV1]>([
    [
      "by throwing",
      schemaOf(() => {
        throw new TypeError("CANARY");
      }),
    ],
    [
      "by throwing what is no error",
      schemaOf(() => {
        throw "CANARY";
      }),
    ],
    ["by rejecting", schemaOf(() => Promise.reject(new TypeError("CANARY")))],
    ["by giving nothing", schemaOf(() => undefined)],
  ])("%s is told as a mistake in the schema, without what it said", async (_, schema) => {
    const error = (await refusal(template("inv_2024", schema), { a: 1 })) as ConfigurationError;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/^The schema of template "inv_2024" /);
    expect(error.message).not.toContain("CANARY");
  });

  it("by quoting a value does not get it into the error", async () => {
    const quoting = schemaOf((value) => ({
      issues: [{ message: `Invalid: Received "${(value as { iban: string }).iban}"`, path: ["iban"] }],
    }));
    const error = (await refusal(template("inv_2024", quoting), {
      iban: "GB33BUKB20201555555555",
    })) as ValuesError;
    expect(error.message + JSON.stringify(error)).not.toContain("GB33BUKB20201555555555");
    expect(error.issues[0]?.path).toEqual(["iban"]);
  });
});

describe("paths of a schema", () => {
  it("may be given as keys or as objects that hold one", async () => {
    const path = ["lines", 0, { key: "price" }, { key: 1 }, Symbol("s"), { key: Symbol("t") }];
    const error = await refusal(
      template(
        "t",
        schemaOf(() => ({ issues: [{ message: "is wrong", path }] })),
      ),
      {},
    );
    expect(error).toMatchObject({
      issues: [{ path: ["lines", 0, "price", 1, "Symbol(s)", "Symbol(t)"], message: "is wrong" }],
    });
  });

  it("may be missing", async () => {
    const issues = [{ message: "is wrong" }, { message: "is worse", path: undefined }];
    const error = await refusal(
      template(
        "t",
        schemaOf(() => ({ issues })),
      ),
      {},
    );
    expect(error).toMatchObject({ issues: [{ path: [] }, { path: [] }] });
    expect((error as ValuesError).message).toContain("values is wrong; values is worse");
  });
});

property("any values that a schema lets through arrive as it gave them", () => {
  return fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), async (values, later) => {
    const expected: unknown = JSON.parse(JSON.stringify({ values }));
    const schema = schemaOf((value) => {
      const result = { value: { values: value } };
      return later ? Promise.resolve(result) : result;
    });
    expect(await send(template("t", schema), values)).toEqual(expected);
  });
});
