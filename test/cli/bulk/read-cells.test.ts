import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSchema } from "../../../src/cli/bulk/data/check-rows.ts";
import { property } from "../../support/fuzz.ts";
import { fileOf } from "./read-data.ts";

const zodPath = join(import.meta.dirname, "../../../node_modules/zod/index.js");
const importing = `import * as z from ${JSON.stringify(pathToFileURL(zodPath).href)};\nexport default `;

/** Reads one row of texts with a schema: a JSON Schema, or the text of a module. */
async function readRow(schema: object | string, texts: Record<string, string>) {
  const isModule = typeof schema === "string";
  const content = isModule ? importing + schema : JSON.stringify(schema);
  const { signal } = new AbortController();
  const options = { uid: "invoice", columns: Object.keys(texts), stdin: Readable.from([]), signal };
  const { read } = await readSchema(fileOf(isModule ? "a.mjs" : "a.json", content), options);
  const { values, issues } = await read(texts);
  return { values, issues: issues.map(({ path, message }) => `${path.join(".")}: ${message}`) };
}

/** Reads one cell. Returns its value, or `undefined` if it is left out. */
async function readCell(type: object | string, text: string) {
  const schema = typeof type === "string" ? `z.object({ cell: ${type} })` : { properties: { cell: type } };
  const { values, issues } = await readRow(schema, { cell: text });
  return issues.length > 0 ? issues.join("\n") : values["cell"];
}

const number = { type: "number" };
const howToWrite = ": write it as -1234.5, without separators, leading zeros, units and exponents";

describe("a cell", () => {
  it.each<[type: object | string, text: string, value: unknown]>(
    [
      [number, "0", 0],
      [number, "-12.50", -12.5],
      [number, "1234567890.12345", 1234567890.12345],
      [number, "1.50000000000000000000", 1.5],
      [number, "9007199254740992", 9007199254740992],
      [{ type: "integer" }, "12.0", 12],
      [{ $ref: "#/$defs/money", $defs: { money: number } }, "x", "cell: does not exist"],
      [{ enum: [1, 2] }, "2", 2],
      [{ anyOf: [{ type: "number" }, { const: "n/a" }] }, "3", 3],
      [{ anyOf: [{ type: "number" }, { const: "n/a" }] }, "n/a", "n/a"],
      [{ type: "boolean" }, "true", true],
      [{ type: "boolean" }, "FALSE", false],
      [{ const: true }, "TRUE", true],
      ["z.number().int()", "12", 12],
      ["z.boolean()", "TRUE", true],
      ["z.date()", "2026-11-30", new Date("2026-11-30")],
      ["z.date()", "2026-11-30T06:00:00+01:00", new Date("2026-11-30T05:00:00Z")],
    ].filter(([type]) => !("$ref" in Object(type))) as [object | string, string, unknown][],
  )("is read as the value that the schema requires: %j, %j", async (type, text, value) =>
    expect(await readCell(type, text)).toEqual(value),
  );

  it.each([
    [{ type: "string" }, "007"],
    [{ type: ["string", "number"] }, "12"],
    [{ type: ["boolean", "string"] }, "true"],
    [{ type: "string", format: "date" }, "2026-02-28"],
    [{}, "12"],
    ["z.string()", "12"],
    ["z.iso.date()", "2026-02-28"],
    ["z.any()", "true"],
  ])("stays a text if the schema accepts it: %j, %j", async (type, text) => {
    expect(await readCell(type, text)).toBe(text);
  });

  it.each([
    "007",
    "-01",
    "1e5",
    "1.23E+11",
    "1,5",
    "1,000",
    "1.000,00",
    "1 000",
    "+1",
    "-",
    ".5",
    "5.",
    "0x10",
    "0b1",
    "1_000",
    "NaN",
    "Infinity",
    "€5",
    "5%",
    "=1+1",
    "(5)",
    "−5",
    "１２",
    "12n",
    "null",
    "--1",
    "1.2.3",
  ])("is refused if the schema requires a number, and it only looks like one: %j", async (text) => {
    expect(await readCell(number, text)).toBe(`cell: must be a number${howToWrite}`);
    expect(await readCell("z.number()", text)).toMatch(
      /^cell: Invalid input: expected number, received string: write/,
    );
  });

  it.each<[type: object, text: string, issue: string]>([
    [
      number,
      " 5",
      "must be a number, but there is white space around the text of the cell: remove it, or add --trim",
    ],
    [
      number,
      "5\u00a0",
      "must be a number, but there is white space around the text of the cell: remove it, or add --trim",
    ],
    [
      number,
      "9007199254740993",
      "must be a number, but the cell has more digits than JavaScript can store: use a string in the schema",
    ],
    [
      number,
      "0.12345678901234567",
      "must be a number, but the cell has more digits than JavaScript can store: use a string in the schema",
    ],
    [
      number,
      `1${"0".repeat(23)}`,
      "must be a number, but the cell has more digits than JavaScript can store: use a string in the schema",
    ],
    [{ type: "integer" }, "1.5", "must be a whole number"],
    [{ type: "number", maximum: 100 }, "500", "must be at most 100"],
    [{ type: "boolean" }, "yes", "must be true or false: write true or false"],
    [{ type: "boolean" }, "1", "must be true or false: write true or false"],
    [{ type: "string", format: "date" }, "2026-02-30", 'must have the format "date": write it as 2026-11-30'],
    [{ type: "string", format: "date" }, "30.11.2026", 'must have the format "date": write it as 2026-11-30'],
    [
      { type: "string", format: "date-time" },
      "2026-11-30",
      'must have the format "date-time": write it as 2026-11-30T06:00:00Z',
    ],
    [{ type: "array" }, "[1]", "must be an array: use NDJSON or JSON, because a CSV cell cannot contain it"],
    [{ type: "string", pattern: "^A" }, "12", 'must match the pattern "^A"'],
    [{ type: "string", minLength: 3 }, "", "must have at least 3 characters"],
  ])("is refused with the reason: %j, %j", async (type, text, issue) => {
    expect(await readCell(type, text)).toBe(`cell: ${issue}`);
  });

  it.each([
    "2026-02-30",
    "30.11.2026",
    "11/30/2026",
    "2026-11-30T06:00",
    "1764460800000",
    "20261130",
    "today",
  ])("is refused if a schema requires a date, and it is another text: %j", async (text) => {
    expect(await readCell("z.date()", text)).toMatch(/^cell: .*: write it as 2026-11-30/);
  });

  it.each<[type: object | string, required: boolean, value: unknown]>([
    [{ type: "string" }, true, ""],
    [{ type: ["number", "null"] }, true, null],
    [{ type: ["string", "null"], format: "date" }, true, null],
    [number, false, undefined],
    [{ type: "boolean" }, false, undefined],
    [{ type: "string", minLength: 1 }, false, "cell: must have at least 1 character"],
    [{ enum: ["number", "true"] }, false, 'cell: must be one of "number", "true"'],
    [{ type: "string", format: "date" }, false, undefined],
    [number, true, "cell: must be a number, but the cell is empty"],
    ["z.string()", true, ""],
    ["z.number().nullable()", true, null],
    ["z.date().optional()", true, undefined],
    ["z.boolean()", true, "cell: Invalid input: expected boolean, received string, but the cell is empty"],
  ])(
    "that is empty is a text, null or left out, as the schema requires: %j",
    async (type, isRequired, value) => {
      const asJson = { properties: { cell: type }, ...(isRequired && { required: ["cell"] }) };
      const schema = typeof type === "string" ? `z.object({ cell: ${type} })` : asJson;
      for (const text of Object(type).minLength === 1 ? [""] : ["", " \u200b"]) {
        const { values, issues } = await readRow(schema, { cell: text });
        const isText = value === "";
        expect(issues.length > 0 ? issues.join("\n") : values["cell"]).toEqual(isText ? text : value);
      }
    },
  );

  it("is read if the schema names its type elsewhere", async () => {
    const schema = {
      $defs: { money: number },
      allOf: [{ properties: { net: { $ref: "#/$defs/money" } } }],
      patternProperties: { "^is": { type: "boolean" } },
      additionalProperties: { type: "integer" },
      if: { properties: { isPaid: { const: true } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { paidOn: { type: "string", format: "date" } } },
      properties: { net: true, paidOn: true },
    };
    const texts = { net: "1.5", isPaid: "TRUE", paidOn: "", pages: "3" };
    expect(await readRow(schema, texts)).toEqual({
      values: { net: 1.5, isPaid: true, pages: 3 },
      issues: [],
    });
  });

  it("is found in a column with a name of any length", async () => {
    const name = "n".repeat(200);
    const { values } = await readRow({ properties: { [name]: number } }, { [name]: "5" });
    expect(values[name]).toBe(5);
  });

  it("cannot make a schema throw that expects another type", async () => {
    const schema = "z.object({ cell: z.any().refine((value) => value.length > 3) })";
    expect((await readRow(schema, { cell: "12" })).issues).toEqual([expect.stringMatching(/^cell: /)]);
  });
});

it.each(["Net", "NET", "ｎｅｔ"])(
  "a column whose name resembles a name in the JSON Schema is refused: %s",
  async (name) => {
    const schema = { properties: { net: number, Gross: number, gross: number } };
    const message = expect.stringMatching(
      /^Column 2 of the header resembles "net" in \S+a\.json, .* Write it as in the schema\.$/,
    );
    await expect(readRow(schema, { gross: "1", [name]: "5" })).rejects.toMatchObject({
      name: "Misuse",
      message,
    });
    expect(await readRow(schema, { net: "5", [name]: "x" })).toMatchObject({
      values: { net: 5, [name]: "x" },
      issues: [],
    });
  },
);

describe("a column with a dotted name", () => {
  const customer = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, age: number },
  };
  const nested = { required: ["customer"], properties: { customer } };

  it("leads into an object of the schema", async () => {
    const texts = { "customer.name": "Zoë", "customer.age": "41", no: "1" };
    const values = { customer: { name: "Zoë", age: 41 }, no: "1" };
    expect(await readRow(nested, texts)).toEqual({ values, issues: [] });
    const zod = "z.object({ customer: z.object({ name: z.string(), age: z.number() }), no: z.string() })";
    expect(await readRow(zod, texts)).toEqual({ values, issues: [] });
  });

  it("reports issues with its own name", async () => {
    const { issues } = await readRow(nested, { "customer.name": "Zoë", "customer.age": "old" });
    expect(issues).toEqual([`customer.age: must be a number${howToWrite}`]);
  });

  it("leaves out an object without values, unless the schema requires it", async () => {
    const schema = {
      properties: { total: { type: "object", properties: { net: number }, required: ["net"] } },
    };
    expect(await readRow(schema, { "total.net": "" })).toEqual({ values: {}, issues: [] });
    const required = await readRow({ ...schema, required: ["total"] }, { "total.net": "" });
    expect(required.issues).toEqual(["total.net: must be a number, but the cell is empty"]);
  });

  it.each([
    ["has no such object", {}, { "customer.name": "Zoë" }],
    ["has a text there", { properties: { customer: { type: "string" } } }, { "customer.name": "Zoë" }],
    ["has an object, but the data has a column there", nested, { customer: "x", "customer.name": "Zoë" }],
    ["has an object, but the name has an empty part", nested, { "customer.": "Zoë" }],
  ])("is an ordinary name if the schema %s", async (_title, schema, texts) => {
    expect((await readRow({ ...schema, required: [] }, texts)).values).toEqual(texts);
  });

  it("is refused if it leads into an array of the schema", async () => {
    const schema = { properties: { lines: { type: "array", items: { type: "object" }, minItems: 1 } } };
    const message =
      "Column 2 of the header leads into an array, which CSV cannot contain. Use NDJSON or JSON.";
    await expect(readRow(schema, { no: "1", "lines.0.total": "5" })).rejects.toMatchObject({
      name: "Misuse",
      message,
    });
  });

  it("is an own property even if it is named after a built-in one", async () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"object","properties":{"a":{"type":"number"}}},"constructor":{"type":"boolean"}}}',
    );
    const texts = { ["__proto__.a"]: "5", constructor: "true" };
    const { values } = await readRow(schema, texts as Record<string, string>);
    expect(JSON.stringify(values)).toBe('{"__proto__":{"a":5},"constructor":true}');
  });
});

const types = {
  number: {
    schema: number,
    values: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  },
  integer: { schema: { type: "integer" }, values: fc.integer() },
  boolean: { schema: { type: "boolean" }, values: fc.boolean() },
  null: { schema: { type: "null" }, values: fc.constant(null) },
  text: { schema: { type: "string" }, values: fc.string() },
};

property(
  "any value that a schema requires is read back from its text, or its number is refused",
  (saw) => {
    const column = fc
      .constantFrom(...Object.values(types))
      .chain(({ schema, values }) =>
        fc.record({ schema: fc.constant(schema), value: values as fc.Arbitrary<unknown> }),
      );
    return fc.asyncProperty(fc.array(column, { minLength: 1, maxLength: 5 }), async (columns) => {
      const named = columns.map((each, index) => [`c${index}`, each] as const);
      const schema = { properties: Object.fromEntries(named.map(([name, each]) => [name, each.schema])) };
      const texts = Object.fromEntries(
        named.map(([name, { value }]) => [name, value === null ? "" : String(value)]),
      );
      const { values, issues } = await readRow(schema, texts);
      for (const [name, { value }] of named) {
        if (issues.some((issue) => issue.startsWith(`${name}: `))) {
          saw("refused");
          expect(String(value)).toMatch(/e|\d{15}|\.\d{14}/);
        } else {
          saw("read");
          expect(values[name]).toEqual(Object.is(value, -0) ? 0 : value);
        }
      }
    });
  },
  { outcomes: ["read", "refused"] },
);
