import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConfigurationError, template, ValuesError } from "../src/index.ts";
import { bodyOf, checkValues, type StandardSchemaV1 } from "../src/request/schema.ts";
import type { Template } from "../src/template.ts";
import { property } from "./support/fuzz.ts";
import { refusal, schemaOf, send } from "./support/template-calls.ts";

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

  it("without a schema accepts any values as they are", () => {
    const values = { a: 1 };
    expect(checkValues({ uid: "inv_2024", schema: undefined }, values)).toBe(values);
  });

  it("with a synchronous schema writes the body at once", () => {
    expect(bodyOf(template("inv_2024", z.object({ a: z.number() })), { a: 1 })).toBe('{"a":1}');
  });

  it.each([
    ["that are a promise", () => Promise.resolve({ a: "s3cret" })],
    ["that are a promise which rejects", () => Promise.reject(new Error("s3cret"))],
  ])("without a schema does not wait for values %s", async (_, values) => {
    const given = values();
    given.catch(() => {});
    const error = await refusal(template("inv_2024"), given);
    expect(ValuesError.is(error)).toBe(true);
    expect((error as Error).message).toContain("Promise");
    expect((error as Error).message).not.toContain("s3cret");
  });

  it.each<[string, unknown, string]>([
    ["empty", "", "must not be empty"],
    ["a step up", "..", 'must not be ".."'],
    ["a number", 7, "must be a string, got number"],
    ["a schema", z.object({}), "must be a string, got object"],
    ["a line break", "a\nb", "must hold no control character"],
  ])("whose uid is %s is refused at once, as `generate` refuses it", async (_, uid, wrong) => {
    const make = () => template(uid as string);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`The template uid ${wrong}`);
    const error = await refusal({ uid, schema: undefined } as Template, {});
    expect(make).toThrow((error as ConfigurationError).message);
  });

  it.each<[string, unknown, string]>([
    ["undefined", undefined, "undefined. Check where it is imported from; for no check, leave it out."],
    ["null", null, "null. Give one of zod 3.24 or later, valibot 1, arktype 2 or their like."],
    ["a plain object", {}, "an Object."],
    ["a text", "z.object({})", "a string."],
    ["a class", z.ZodObject, "a function."],
    ["a function that validates", (value: unknown) => value, "a function."],
    ["a JSON schema", { type: "object", properties: {} }, "an Object."],
    ["a list", [z.object({})], "an array."],
    ["a schema without validate", { "~standard": { version: 1, vendor: "x" } }, "an Object."],
  ])("whose schema is %s is refused at once", async (_, schema, what) => {
    const make = () => template("inv_2024", schema as StandardSchemaV1);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`The schema of template "inv_2024" is no Standard Schema, but ${what}`);
    if (schema === undefined) return;
    // Also where it was made by hand.
    const error = await refusal({ uid: "inv_2024", schema: schema as StandardSchemaV1 }, {});
    expect(make).toThrow((error as ConfigurationError).message);
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
      /^The values for template "inv_2024" cannot be sent: values\.currency: .*; values\.lines\[1\]\.text: .*; values\.lines\[1\]\.price: .*Nothing was sent\.$/,
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
    expect(error).toBeInstanceOf(ValuesError);
    expect(error.message).toBe(
      'The values that the schema made for template "inv_2024" cannot be sent: values.lines[0].price is NaN, which JSON turns into null. Nothing was sent.',
    );
  });

  it("and is called the caller's where the schema gives back what it got", async () => {
    const error = await refusal(template("t", z.any()), { a: Number.NaN });
    expect((error as ValuesError).message).toMatch(
      /^The values for template "t" cannot be sent: values\.a is/,
    );
  });

  it.each<[string, unknown, string]>([
    ["text", "CANARY", "a string"],
    ["a list", ["CANARY"], "an array"],
    ["null", null, "null"],
    ["a function", () => "CANARY", "a function"],
  ])("so that %s is no document's values", async (_, output, what) => {
    const error = await refusal(
      template(
        "t",
        schemaOf(() => ({ value: output })),
      ),
      {},
    );
    expect(error).toBeInstanceOf(ValuesError);
    expect((error as ValuesError).message).toBe(
      `The values that the schema made for template "t" cannot be sent: values must be one JSON object, got ${what}. Nothing was sent.`,
    );
  });

  it("so that a Set is no member of them", async () => {
    const schema = z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) });
    expect(await refusal(template("t", schema), { tags: [] })).toMatchObject({
      issues: [{ path: ["tags"] }],
    });
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
