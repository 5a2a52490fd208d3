import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as z3 from "zod-3";
import { type StandardSchemaV1, type Template, template, ValuesError } from "../../src/index.ts";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";

const secret = "GB33BUKB20201555555555";
const inPounds = (total: number) => `£${total}`;
const isLate = async (total: string) => {
  await Promise.resolve();
  return total === "late";
};

/**
 * Two schemas for each library. The invoice converts its total to pounds, and has lines and a currency with a
 * default. The asynchronous schema accepts only the total "late". arktype has no asynchronous schemas.
 */
const libraries: [string, invoice: StandardSchemaV1, waiting?: StandardSchemaV1][] = [
  [
    "zod 4",
    z.object({
      total: z.number().transform(inPounds),
      lines: z.array(z.object({ text: z.string(), price: z.number() })),
      currency: z.string().default("GBP"),
    }),
    z.object({ total: z.string().refine(isLate) }),
  ],
  [
    "zod 3.25",
    z3.object({
      total: z3.number().transform(inPounds),
      lines: z3.array(z3.object({ text: z3.string(), price: z3.number() })),
      currency: z3.string().default("GBP"),
    }),
    z3.object({ total: z3.string().refine(isLate) }),
  ],
  [
    // The messages of this library quote the rejected value.
    "valibot",
    v.object({
      total: v.pipe(v.number(), v.transform(inPounds)),
      lines: v.array(v.object({ text: v.string(), price: v.number() })),
      currency: v.optional(v.string(), "GBP"),
    }),
    v.objectAsync({ total: v.pipeAsync(v.string(), v.checkAsync(isLate)) }),
  ],
  [
    "arktype",
    type({
      total: type("number").pipe(inPounds),
      lines: type({ text: "string", price: "number" }).array(),
      currency: "string = 'GBP'",
    }),
  ],
];

async function sent(given: Template, values: object): Promise<unknown> {
  const service = await Service.start(withLength(pdfOf(1_000)));
  await service.client().generate(given, values).bytes();
  return JSON.parse(service.requests[0]?.body ?? "");
}

/** Returns the error of a call, which must not send a request. */
async function refusal(given: Template, values: unknown): Promise<ValuesError> {
  const service = await Service.start(withLength(pdfOf(1_000)));
  const error = await rejectionOf(
    service
      .client()
      .generate(given, values as object)
      .bytes(),
  );
  expect(service.requests).toEqual([]);
  expect(error).toBeInstanceOf(ValuesError);
  expect(error).toMatchObject({ uid: "inv_2024", attempts: 0 });
  expect(JSON.stringify(error) + (error as Error).stack).not.toContain(secret);
  return error as ValuesError;
}

describe.each<[string, StandardSchemaV1, StandardSchemaV1?]>(libraries)(
  "generate() with a schema from %s",
  (name, schema, waiting) => {
    const invoice = template("inv_2024", schema);
    const lines = [{ text: "Paper", price: 2 }];

    it("sends the schema's output", async () => {
      expect(await sent(invoice, { total: 2, lines })).toEqual({ total: "£2", lines, currency: "GBP" });
    });

    it("rejects invalid values with an error that contains the path of each issue", async () => {
      const error = await refusal(invoice, { lines: [...lines, { text: 1, price: secret }], currency: 7 });
      const paths = error.issues.map(({ path }) => path.join("."));
      expect(paths.sort()).toEqual(["currency", "lines.1.price", "lines.1.text", "total"]);
      for (const { message } of error.issues) expect(message).toMatch(/\w{3}/);
      expect(error.message).toMatch(/^The values for template "inv_2024" cannot be sent: values\./);
      expect(error.message).toContain("values.lines[1].price: ");
      if (name === "valibot") expect(error.message).toContain("[redacted]");
    });

    it("rejects values that are not an object", async () => {
      expect((await refusal(invoice, secret)).issues.map(({ path }) => path)).toEqual([[]]);
    });

    it.runIf(waiting)("waits for an asynchronous schema", async () => {
      const late = template("inv_2024", waiting as StandardSchemaV1);
      expect(await sent(late, { total: "late" })).toEqual({ total: "late" });
      expect((await refusal(late, { total: secret })).issues).toMatchObject([{ path: ["total"] }]);
    });
  },
);

it("A schema rejects undefined as the value of a required property", async () => {
  const invoice = template("inv_2024", z.object({ total: z.string(), note: z.string().optional() }));
  expect((await refusal(invoice, { total: undefined })).issues).toMatchObject([{ path: ["total"] }]);
  expect(await sent(invoice, { total: "1", note: undefined })).toEqual({ total: "1" });
});
