import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod-3";
import { type StandardSchemaV1, type Template, template, ValuesError } from "../../src/index.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";

const secret = "GB33BUKB20201555555555";
const inPounds = (total: number) => `£${total}`;
const isLate = async (total: string) => {
  await Promise.resolve();
  return total === "late";
};

/** The same schemas in the words of each library. */
interface Schemas {
  /** A total that becomes pounds, lines with a text and a price, and a currency with a default. */
  readonly invoice: StandardSchemaV1;
  /** An `iban` that may only be "none". */
  readonly quoting: StandardSchemaV1;
  /** A total that is checked asynchronously: only "late" is valid. */
  readonly waiting?: StandardSchemaV1;
}

const libraries: readonly (readonly [string, Schemas])[] = [
  [
    "zod 4",
    {
      invoice: z.object({
        total: z.number().transform(inPounds),
        lines: z.array(z.object({ text: z.string(), price: z.number() })),
        currency: z.string().default("GBP"),
      }),
      quoting: z.object({
        iban: z.string().refine((iban) => iban === "none", { error: (issue) => `was ${issue.input}` }),
      }),
      waiting: z.object({ total: z.string().refine(isLate) }),
    },
  ],
  [
    "zod 4 mini",
    {
      invoice: mini.object({
        total: mini.pipe(mini.number(), mini.transform(inPounds)),
        lines: mini.array(mini.object({ text: mini.string(), price: mini.number() })),
        currency: mini._default(mini.string(), "GBP"),
      }),
      quoting: mini.object({
        iban: mini
          .string()
          .check(mini.refine((iban) => iban === "none", { error: (issue) => `was ${issue.input}` })),
      }),
      waiting: mini.object({ total: mini.string().check(mini.refine(isLate)) }),
    },
  ],
  [
    "zod 3.25",
    {
      invoice: z3.object({
        total: z3.number().transform(inPounds),
        lines: z3.array(z3.object({ text: z3.string(), price: z3.number() })),
        currency: z3.string().default("GBP"),
      }),
      quoting: z3.object({ iban: z3.enum(["none"]) }),
      waiting: z3.object({ total: z3.string().refine(isLate) }),
    },
  ],
  [
    "valibot",
    {
      invoice: v.object({
        total: v.pipe(v.number(), v.transform(inPounds)),
        lines: v.array(v.object({ text: v.string(), price: v.number() })),
        currency: v.optional(v.string(), "GBP"),
      }),
      quoting: v.object({ iban: v.literal("none") }),
      waiting: v.objectAsync({ total: v.pipeAsync(v.string(), v.checkAsync(isLate)) }),
    },
  ],
  [
    // Its schemas cannot be asynchronous.
    "arktype",
    {
      invoice: type({
        total: type("number").pipe(inPounds),
        lines: type({ text: "string", price: "number" }).array(),
        currency: "string = 'GBP'",
      }),
      quoting: type({ iban: "'none'" }),
    },
  ],
];

async function sent(given: Template, values: object): Promise<unknown> {
  const service = await Service.start(withLength(pdfOf(1_000)));
  await service.client().generate(given, values).bytes();
  return JSON.parse(service.requests[0]?.body ?? "");
}

/** The error of a call that sent nothing. */
async function refusal(given: Template, values: unknown): Promise<ValuesError> {
  const service = await Service.start(withLength(pdfOf(1_000)));
  const pending = service.client().generate(given, values as object);
  const error: unknown = await pending.bytes().catch((reason: unknown) => reason);
  expect(service.requests).toEqual([]);
  expect(error).toBeInstanceOf(ValuesError);
  expect(error).toMatchObject({ uid: "inv_2024", attempts: 0 });
  expect(JSON.stringify(error) + (error as Error).stack).not.toContain(secret);
  return error as ValuesError;
}

describe.each(libraries)("A template with a schema of %s", (_, { invoice, quoting }) => {
  it("sends the output of the schema", async () => {
    const lines = [{ text: "Paper", price: 2 }];
    const output = { total: "£2", lines, currency: "GBP" };
    expect(await sent(template("inv_2024", invoice), { total: 2, lines })).toEqual(output);
  });

  it("refuses wrong values with the path of each", async () => {
    const values = {
      lines: [
        { text: "Paper", price: 2 },
        { text: 1, price: secret },
      ],
      currency: 7,
    };
    const error = await refusal(template("inv_2024", invoice), values);
    const paths = error.issues.map(({ path }) => path.join("."));
    expect(paths.sort()).toEqual(["currency", "lines.1.price", "lines.1.text", "total"]);
    for (const { message } of error.issues) expect(message).toMatch(/\w{3}/);
    expect(error.message).toMatch(/^The values for template "inv_2024" cannot be sent: values\./);
    expect(error.message).toContain("values.lines[1].price: ");
  });

  it("refuses values that are not an object", async () => {
    const error = await refusal(template("inv_2024", invoice), secret);
    expect(error.issues.map(({ path }) => path)).toEqual([[]]);
  });

  it("does not show a value that the library quotes", async () => {
    const result = await quoting["~standard"].validate({ iban: secret });
    expect(result.issues?.[0]?.message).toContain(secret);
    const error = await refusal(template("inv_2024", quoting), { iban: secret });
    expect(error.issues[0]?.message).toContain("[redacted]");
  });
});

const asynchronous = libraries.flatMap(([name, { waiting }]) => (waiting ? [[name, waiting] as const] : []));

it.each(asynchronous)("A template waits for an asynchronous schema of %s", async (_, waiting) => {
  const late = template("inv_2024", waiting);
  expect(await sent(late, { total: "late" })).toEqual({ total: "late" });
  expect((await refusal(late, { total: secret })).issues).toMatchObject([{ path: ["total"] }]);
});

it("A required property that is undefined is refused by the schema, although JSON would leave it out", async () => {
  const service = await Service.start(withLength(pdfOf(2_000)));
  const invoice = template("inv_2024", z.object({ total: z.string(), note: z.string().optional() }));
  const client = service.client();
  const missing = client.generate(invoice, { total: undefined as never }).bytes();
  await expect(missing).rejects.toMatchObject({ issues: [{ path: ["total"] }] });
  await client.generate(invoice, { total: "1", note: undefined }).bytes();
  expect(service.requests.map(({ body }) => body)).toEqual(['{"total":"1"}']);
});
