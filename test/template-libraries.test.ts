import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod-3";
import { type StandardSchemaV1, type Template, template, ValuesError } from "../src/index.ts";
import { pdfOf, Service, withLength } from "./support/service.ts";

const secret = "GB33BUKB20201555555555";

/** What every library is asked to say in its own words. */
interface Schemas {
  /** `{ total: string; lines: { text: string; price: number }[]; currency?: string }` */
  readonly invoice: StandardSchemaV1;
  /** The same total, in pounds; a currency, where there is none. */
  readonly changing: StandardSchemaV1;
  /** An `iban` that may only be "none". */
  readonly quoting: StandardSchemaV1;
  /** A total that is asked for elsewhere, where the library can wait: "late" will do. */
  readonly waiting?: StandardSchemaV1;
}

const isKnown = async (total: string) => {
  await Promise.resolve();
  return total === "late";
};

const libraries: readonly (readonly [string, Schemas])[] = [
  [
    "zod 4",
    {
      invoice: z.object({
        total: z.string(),
        lines: z.array(z.object({ text: z.string(), price: z.number() })),
        currency: z.string().optional(),
      }),
      changing: z.object({
        total: z.number().transform((total) => `£${total}`),
        currency: z.string().default("GBP"),
      }),
      quoting: z.object({
        iban: z.string().refine((iban) => iban === "none", { error: (issue) => `was ${issue.input}` }),
      }),
      waiting: z.object({ total: z.string().refine(isKnown) }),
    },
  ],
  [
    "zod 4 mini",
    {
      invoice: mini.object({
        total: mini.string(),
        lines: mini.array(mini.object({ text: mini.string(), price: mini.number() })),
        currency: mini.optional(mini.string()),
      }),
      changing: mini.object({
        total: mini.pipe(
          mini.number(),
          mini.transform((total) => `£${total}`),
        ),
        currency: mini._default(mini.string(), "GBP"),
      }),
      quoting: mini.object({
        iban: mini
          .string()
          .check(mini.refine((iban) => iban === "none", { error: (issue) => `was ${issue.input}` })),
      }),
      waiting: mini.object({ total: mini.string().check(mini.refine(isKnown)) }),
    },
  ],
  [
    "zod 3.25",
    {
      invoice: z3.object({
        total: z3.string(),
        lines: z3.array(z3.object({ text: z3.string(), price: z3.number() })),
        currency: z3.string().optional(),
      }),
      changing: z3.object({
        total: z3.number().transform((total) => `£${total}`),
        currency: z3.string().default("GBP"),
      }),
      quoting: z3.object({ iban: z3.enum(["none"]) }),
      waiting: z3.object({ total: z3.string().refine(isKnown) }),
    },
  ],
  [
    "valibot",
    {
      invoice: v.object({
        total: v.string(),
        lines: v.array(v.object({ text: v.string(), price: v.number() })),
        currency: v.optional(v.string()),
      }),
      changing: v.object({
        total: v.pipe(
          v.number(),
          v.transform((total) => `£${total}`),
        ),
        currency: v.optional(v.string(), "GBP"),
      }),
      quoting: v.object({ iban: v.literal("none") }),
      waiting: v.objectAsync({ total: v.pipeAsync(v.string(), v.checkAsync(isKnown)) }),
    },
  ],
  [
    "arktype",
    {
      invoice: type({
        total: "string",
        lines: type({ text: "string", price: "number" }).array(),
        "currency?": "string",
      }),
      changing: type({ total: type("number").pipe((total) => `£${total}`), currency: "string = 'GBP'" }),
      quoting: type({ iban: "'none'" }),
    },
  ],
];

/** Generates from a template against a service; gives what arrived there and what went wrong. */
async function generate(given: Template, values: object): Promise<{ bodies: unknown[]; error: unknown }> {
  const service = await Service.start(withLength(pdfOf(1_000)));
  const pending = service.client().generate(given, values).bytes();
  const error = await pending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { bodies: service.requests.map(({ body }) => JSON.parse(body)), error };
}

/** What is refused, and where: after that nothing was sent. */
async function refused(given: Template, values: object): Promise<ValuesError> {
  const { bodies, error } = await generate(given, values);
  expect(bodies).toEqual([]);
  expect(error).toBeInstanceOf(ValuesError);
  expect(error).toMatchObject({ uid: "inv_2024", attempts: 0 });
  return error as ValuesError;
}

describe.each(libraries)("a template with a schema of %s", (_, { invoice, changing, quoting }) => {
  const line = { text: "Paper", price: 2 };

  it("sends what the schema lets through", async () => {
    const values = { total: "2", lines: [line] };
    const { bodies, error } = await generate(template("inv_2024", invoice), values);
    expect({ bodies, error }).toEqual({ bodies: [values], error: undefined });
  });

  it.each<[string, object, readonly (string | number)[], string]>([
    ["that is missing", { lines: [] }, ["total"], "values.total: "],
    ["of the wrong type", { total: 7, lines: [] }, ["total"], "values.total: "],
    ["within another", { total: "", lines: {} }, ["lines"], "values.lines: "],
    [
      "within an array",
      { total: "", lines: [line, { text: "Ink", price: secret }] },
      ["lines", 1, "price"],
      "values.lines[1].price: ",
    ],
    ["that may be missing", { total: "", lines: [], currency: 7 }, ["currency"], "values.currency: "],
  ])("names a value %s", async (_title, values, path, place) => {
    const error = await refused(template("inv_2024", invoice), values);
    expect(error.issues.map((issue) => issue.path)).toEqual([path]);
    expect(error.issues[0]?.message).toMatch(/\w{3}/);
    expect(error.message).toContain(`The values for template "inv_2024" cannot be sent: ${place}`);
    expect(error.message).not.toContain(secret);
  });

  it("names all that is wrong", async () => {
    const error = await refused(template("inv_2024", invoice), { lines: [{ text: 1, price: 1 }] });
    expect(error.issues.map(({ path }) => path.join("."))).toEqual(
      expect.arrayContaining(["total", "lines.0.text"]),
    );
    expect(error.issues).toHaveLength(2);
  });

  it("names what is no object", async () => {
    const error = await refused(template("inv_2024", invoice), secret as unknown as object);
    expect(error.issues.map(({ path }) => path)).toEqual([[]]);
    expect(error.message).not.toContain(secret);
  });

  it("sends what the schema makes of the values", async () => {
    const { bodies } = await generate(template("inv_2024", changing), { total: 2 });
    expect(bodies).toEqual([{ total: "£2", currency: "GBP" }]);
  });

  it("tells no value, also where the library quotes it", async () => {
    const result = await quoting["~standard"].validate({ iban: secret });
    expect(result.issues?.[0]?.message, "the library quotes no value here").toContain(secret);
    const error = await refused(template("inv_2024", quoting), { iban: secret });
    expect(error.issues[0]?.message).toContain("[redacted]");
    expect(JSON.stringify(error) + error.stack).not.toContain(secret);
  });
});

/** Arktype cannot wait. */
const patient = libraries.flatMap(([name, { waiting }]) => (waiting ? [[name, waiting] as const] : []));

describe.each(patient)("an asynchronous schema of %s", (_, waiting) => {
  it("is waited for", async () => {
    const late = template("inv_2024", waiting);
    expect((await generate(late, { total: "late" })).bodies).toEqual([{ total: "late" }]);
    const error = await refused(late, { total: secret });
    expect(error.issues.map(({ path }) => path)).toEqual([["total"]]);
  });
});
