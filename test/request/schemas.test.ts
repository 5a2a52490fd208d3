import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConfigurationError, NotFoundError, TemplatePdf, template, ValuesError } from "../../src/index.ts";
import { checkValues, type StandardSchemaV1, serializeChecked } from "../../src/request/schema.ts";
import type { Template } from "../../src/template.ts";
import { strayRejections } from "../support/service.ts";

const uid = "inv_2024";
const iban = "GB33BUKB20201555555555";

function schemaOf(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { "~standard": { version: 1, vendor: "test", validate: validate as never } };
}

/** Returns the error of a schema for some values, and all its output. */
async function refusal(validate: (value: unknown) => unknown, values: unknown = { iban }) {
  try {
    await serializeChecked({ uid, schema: schemaOf(validate) }, values);
  } catch (error) {
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain(iban);
    return error as Error & { issues: ValuesError["issues"]; attempts: number };
  }
  throw new Error("The schema refused nothing.");
}

const thenable = (then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) => ({
  then,
});

/** The ways in which a schema can return its result. */
const deliveries: readonly (readonly [string, (answer: unknown) => unknown])[] = [
  ["synchronously", (answer) => answer],
  ["in a promise", async (answer) => answer],
  ["in a custom promise", (answer) => thenable((resolve) => resolve(answer))],
];

function fail(error: unknown): never {
  throw error;
}

describe("template()", () => {
  it("returns a frozen object with the uid and the schema", () => {
    const schema = z.object({ a: z.string() });
    expect(template(uid, schema)).toEqual({ uid, schema });
    expect(Object.isFrozen(template(uid, schema))).toBe(true);
    expect(template(uid)).toEqual({ uid, schema: undefined });
  });

  it.each<[string, unknown]>([
    ['""', ""],
    ['".."', ".."],
    ["a number", 7],
    ['"a\\nb"', "a\nb"],
  ])("rejects %s as a uid", (got, given) => {
    const message = `Expected a template uid from the dashboard, got ${got}.`;
    expect(() => template(given as string)).toThrow(message);
  });

  const advice = "Use zod 3.24 or later, valibot 1, arktype 2 or another library that implements it.";
  it.each<[string, unknown]>([
    ["undefined. Check its import, or omit the schema to skip the check.", undefined],
    [`an Object. ${advice}`, { type: "object", properties: {} }],
    [`an array. ${advice}`, [z.object({})]],
  ])('rejects an invalid schema with a message that ends with "got %s"', (what, given) => {
    const schema = given as StandardSchemaV1;
    const message = `Expected the schema of template "inv_2024" to be a Standard Schema, got ${what}`;
    expect(() => template(uid, schema)).toThrow(new ConfigurationError(message));
  });

  it("is the only way to pass a schema to generate()", async () => {
    const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: null });
    const withSchema: Template = { uid, schema: z.object({}) };
    await expect(pdfs.generate(withSchema, {})).rejects.toThrow(
      new ConfigurationError(
        'The template "inv_2024" has a schema but was not created with `template()`. Write template("inv_2024", schema).',
      ),
    );
  });
});

describe("A template without a schema", () => {
  it("accepts any values and does not change them", () => {
    const values = { a: 1 };
    expect(checkValues({ uid, schema: undefined }, values)).toBe(values);
    expect(serializeChecked(template(uid), values)).toBe('{"a":1}');
  });

  it("rejects a promise of values instead of awaiting it", () => {
    const values = Promise.resolve({ iban });
    const body = () => serializeChecked(template(uid), values);
    expect(body).toThrow(ValuesError);
    expect(body).toThrow(/^(?!.*GB33).*Promise/);
  });
});

describe("A schema's output", () => {
  it("is converted to JSON synchronously if the schema is synchronous", () => {
    const schema = schemaOf(() => ({ value: { a: 1 } }));
    expect(serializeChecked({ uid, schema }, {})).toBe('{"a":1}');
  });

  it.each(deliveries)("is sent if it is returned %s", async (_, deliver) => {
    const schema = schemaOf((value) => deliver({ value: { values: value } }));
    expect(await serializeChecked({ uid, schema }, { a: "é" })).toBe('{"values":{"a":"é"}}');
  });

  it("is checked by the same rules as the values of a template without a schema", async () => {
    const error = await refusal(async () => ({ value: { lines: [{ price: Number.NaN }] } }));
    expect(error).toBeInstanceOf(ValuesError);
    expect(error.message).toBe(
      'The values that the schema returned for template "inv_2024" cannot be sent: ' +
        "values.lines[0].price is NaN, which JSON converts to null: pass a finite number or a string.",
    );
  });

  it("is not mentioned in the error if the schema returns the caller's object", async () => {
    const { message } = await refusal((value) => ({ value }), { a: Number.NaN });
    expect(message).toMatch(/^The values for template "inv_2024" cannot be sent: values\.a is/);
  });

  it("must be an object", async () => {
    const error = await refusal(() => ({ value: [iban] }));
    expect(error).toBeInstanceOf(ValuesError);
    expect(error.message).toContain(": values must be a JSON object, got an array.");
  });
});

describe("A schema that throws", () => {
  it.each<[string, (error: unknown) => unknown]>([
    ["an error during validation", fail],
    ["a rejected promise", (error) => Promise.reject(error)],
    ["a rejected custom promise", (error) => thenable((_, reject) => reject(error))],
    // biome-ignore lint/suspicious/noThenProperty: a library may use its own promise class.
    ["an error in `then`", (error) => Object.defineProperty({}, "then", { get: () => fail(error) })],
    ["an error in `issues`", (error) => Object.defineProperty({}, "issues", { get: () => fail(error) })],
  ])("causes a ConfigurationError that does not contain the values: %s", async (_, throwing) => {
    const thrown = new TypeError(`no account: ${iban}`, { cause: { iban } });
    const error = await refusal(() => throwing(thrown));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe(
      'The schema of template "inv_2024" threw TypeError instead of returning issues, so the request was not sent. Fix the schema.',
    );
    expect(error).toMatchObject({ cause: { name: "TypeError", message: "no account: [redacted]" } });
    const text = await refusal(() => throwing(iban));
    expect(text).toMatchObject({ cause: "[redacted]", message: expect.stringContaining("threw Error ") });
  });

  it("causes a ConfigurationError even if it throws an error from this package", async () => {
    const thrown = new NotFoundError("There is no template.", { status: 404, attempts: 3 });
    const error = await refusal(() => fail(thrown));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.attempts).toBe(0);
  });

  it("also causes a ConfigurationError if the error occurs while an issue is read", async () => {
    const issue = new Proxy([], { get: () => fail(new RangeError(iban)) });
    const error = await refusal(async () => ({ issues: [issue] }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/threw RangeError/);
  });
});

const nothing = [undefined, true, () => ({ value: {} }), {}, [{ message: "is wrong" }]];
const noIssues = ["x", []].map((issues) => ({ issues }));
const noValue = [undefined, Promise.resolve({})].map((value) => ({ value }));
it.each([...nothing, ...noIssues, { value: {}, issues: [] }, ...noValue].map((answer) => [answer] as const))(
  "A schema that returns neither a value nor issues causes a ConfigurationError: %j",
  async (answer) => {
    for (const [, deliver] of deliveries) {
      const error = await refusal(() => deliver(answer));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toBe(
        'The schema of template "inv_2024" returned neither a value nor issues, so the request was not sent. Fix the schema.',
      );
    }
  },
);

describe("An issue or error from a schema", () => {
  it.each([null, {}, { message: " " }, { path: "lines" }])(
    "is reported with a default message and path if it is invalid: %j",
    async (issue) => {
      const error = await refusal(() => ({ issues: [issue] }));
      expect(error).toMatchObject({ issues: [{ path: [], message: "does not match the schema" }] });
      expect(error.message).toMatch(/^The values .* cannot be sent: values: does not match the schema\.$/);
    },
  );

  it("is omitted if it follows 1,000 other issues", async () => {
    const issues = Array.from({ length: 50_000 }, (_, at) => ({ message: "is wrong", path: ["lines", at] }));
    const error = await refusal(() => ({ issues }));
    expect(error.issues).toHaveLength(1_000);
    expect(error.message).toMatch(/values\.lines\[19\]: is wrong; and 980 more\.$/);
  });

  it("has a one-line message of at most 500 characters", async () => {
    const error = await refusal(() => ({ issues: [{ message: "is\r\nwrong", path: ["a\nb"] }] }));
    expect(error.message).toContain('values["a\\nb"]: is wrong.');
    expect(error.message).not.toContain("\n");
    const long = await refusal(() => ({ issues: [{ message: "x ".repeat(300) }] }));
    expect(long.issues[0]?.message).toHaveLength(500);
  });

  const date = new Date(2026, 10, 21, 21, 23, 38, 376);
  it.each<[string, unknown, string, string]>([
    ["a number", 1234567, "got 1234567", "got [redacted]"],
    ["a BigInt", 1234567n, "got 1234567", "got [redacted]"],
    ["a symbol", Symbol(iban), `got Symbol(${iban})`, "got Symbol([redacted])"],
    ["a Map key", new Map([[iban, 1]]), `got ${iban}`, "got [redacted]"],
    ["a date written in words", date, "got November 21, 2026", "got [redacted]"],
  ])("does not quote the rejected value: %s", async (_, a, message, shown) => {
    const error = await refusal(() => ({ issues: [{ message, path: ["a"] }] }), { a });
    expect(error.issues).toEqual([{ path: ["a"], message: shown }]);
    expect(error.message).toContain(`values.a: ${shown}.`);
  });

  it("does not quote values that the caller changes before the schema fails", async () => {
    const values = { iban };
    const failed = refusal(async () => {
      await Promise.resolve();
      return fail(new TypeError(`no account: ${iban}`));
    }, values);
    values.iban = "";
    expect(inspect(await failed, { depth: 9 })).toContain("no account: [redacted]");
  });

  it("does not contain the schema's message if the values cannot be read", async () => {
    const values: { iban: string; self?: object } = { iban };
    values.self = values;
    const issues = [{ message: `got ${iban}`, path: ["iban"] }];
    const error = await refusal(() => ({ issues }), values);
    expect(error.issues).toEqual([{ path: ["iban"], message: "does not match the schema" }]);
    expect(await refusal(() => fail(new TypeError(iban)), values)).not.toHaveProperty("cause");
  });

  it.each<[string, unknown, readonly (string | number)[]]>([
    ["is omitted", undefined, []],
    ["contains objects with a `key` property", [{ key: "lines" }, { key: 0 }], ["lines", 0]],
    ["contains symbols", [Symbol("s"), { key: Symbol("t") }], ["Symbol(s)", "Symbol(t)"]],
    ["contains Map keys", [{ key: {} }, Object.create(null), { key: null }], ["?", "undefined", "null"]],
    ["contains null, undefined and booleans", [null, undefined, true], ["null", "undefined", "true"]],
  ])("has a path of strings and numbers if the schema's path %s", async (_, path, expected) => {
    const error = await refusal(() => ({ issues: [{ message: "is wrong", path }] }));
    expect(error.issues).toEqual([{ path: expected, message: "is wrong" }]);
  });
});

it("An asynchronous schema does not cause an unhandled rejection if the call is aborted", async () => {
  const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: null });
  const late = template(
    uid,
    schemaOf(async () => ({ issues: [{ message: "is wrong" }] })),
  );
  const reason = new Error("no longer wanted");
  const stray = await strayRejections(async () => {
    const call = pdfs.generate(late, {}, { signal: AbortSignal.abort(reason) });
    await expect(call.bytes()).rejects.toBe(reason);
  });
  expect(stray).toEqual([]);
});
