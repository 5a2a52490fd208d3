import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError, NotFoundError, TemplatePdf, template, ValuesError } from "../src/index.ts";
import type { StandardSchemaV1 } from "../src/request/schema.ts";
import { property } from "./support/fuzz.ts";
import { strayRejections } from "./support/service.ts";
import { refusal, schemaOf } from "./support/template-calls.ts";

const iban = "GB33BUKB20201555555555";

/** A schema that says the same of all values, at once and later. */
function saying(answer: unknown): [string, StandardSchemaV1][] {
  return [
    ["at once", schemaOf(() => answer)],
    ["later", schemaOf(async () => answer)],
    ["later, by a promise of another make", schemaOf(() => thenable(answer))],
  ];
}

function thenable(answer: unknown): unknown {
  // biome-ignore lint/suspicious/noThenProperty: this is the test.
  return { then: (resolve: (answer: unknown) => void) => resolve(answer) };
}

/** Something whose members cannot be read. */
const unreadable = new Proxy([], {
  get: () => {
    throw new RangeError(iban);
  },
});

/** Values of which JSON can say nothing. */
function cycleOf(value: string): object {
  const cycle: { value: string; self?: object } = { value };
  cycle.self = cycle;
  return cycle;
}

/** A schema that throws the same, in every way there is. */
function throwing(error: unknown): [string, StandardSchemaV1][] {
  return [
    [
      "at once",
      schemaOf(() => {
        throw error;
      }),
    ],
    ["later", schemaOf(() => Promise.reject(error))],
    [
      "later, by a promise of another make",
      // biome-ignore lint/suspicious/noThenProperty: this is the test.
      schemaOf(() => ({ then: (_: unknown, reject: (error: unknown) => void) => reject(error) })),
    ],
    [
      "in `then`",
      schemaOf(() => ({
        // biome-ignore lint/suspicious/noThenProperty: this is the test.
        get then() {
          throw error;
        },
      })),
    ],
    [
      "when its answer is read",
      schemaOf(() => ({
        get issues() {
          throw error;
        },
      })),
    ],
  ];
}

describe("a schema that throws", () => {
  it.each(throwing(new TypeError("boom")))("%s is the program's mistake, and says why", async (_, schema) => {
    const error = (await refusal(template("inv_2024", schema), { iban })) as ConfigurationError;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe(
      'The schema of template "inv_2024" threw TypeError instead of naming issues. Mend the schema. Nothing was sent.',
    );
    expect(error.attempts).toBe(0);
    expect(error.cause).toMatchObject({ name: "TypeError", message: "boom" });
  });

  it.each(throwing(new TypeError(`no such account: ${iban}`, { cause: { iban } })))(
    "%s, with a value, tells the rest of it",
    async (_, schema) => {
      const error = (await refusal(template("inv_2024", schema), { iban })) as ConfigurationError;
      expect(error.cause).toMatchObject({ name: "TypeError", message: "no such account: [redacted]" });
      expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain(iban);
    },
  );

  it.each(throwing(iban))("%s, and no error, is told without it", async (_, schema) => {
    const error = (await refusal(template("inv_2024", schema), { iban })) as ConfigurationError;
    expect(error.message).toMatch(/threw Error instead of naming issues/);
    expect(error.cause).toBe("[redacted]");
  });

  it("an error of this package is its own mistake, not the call's", async () => {
    const [[, schema] = ["", schemaOf(() => undefined)]] = throwing(
      new NotFoundError("There is no template.", { status: 404, attempts: 3 }),
    );
    const error = (await refusal(template("t", schema), {})) as ConfigurationError;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.attempts).toBe(0);
  });
});

describe("a schema that takes its time", () => {
  it.each<[string, () => unknown]>([
    ["throws", () => Promise.reject(new TypeError(`no such account: ${iban}`))],
    ["quotes", () => ({ issues: [{ message: `no such account: ${iban}` }] })],
  ])("tells nothing of values that the caller has changed meanwhile, where it %s", async (_, answer) => {
    const values = { iban };
    const schema = schemaOf(async () => {
      await Promise.resolve();
      return answer();
    });
    const failed = refusal(template("t", schema), values);
    values.iban = "";
    const told = inspect(await failed, { depth: 9 });
    expect(told).toContain("no such account: [redacted]");
    expect(told).not.toContain(iban);
  });

  it("and then refuses the values of a call that was given up leaves no rejection behind", async () => {
    const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: null });
    const late = template(
      "t",
      schemaOf(async () => ({ issues: [{ message: "is wrong" }] })),
    );
    const reason = new Error("no longer wanted");
    const stray = await strayRejections(async () => {
      const signal = AbortSignal.abort(reason);
      await expect(pdfs.generate(late, {}, { signal }).bytes()).rejects.toBe(reason);
    });
    expect(stray).toEqual([]);
  });
});

describe.each<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["a text", "ok"],
  ["true", true],
  ["a function", () => ({ value: {} })],
  ["an empty object", {}],
  ["a list", [{ message: "is wrong" }]],
  ["issues that are text", { issues: "x" }],
  ["issues that are an object", { issues: { message: "x" } }],
  ["no issue", { issues: [] }],
  ["a value and no issue", { value: {}, issues: [] }],
  ["no value", { value: undefined }],
  ["a promise of a value", { value: Promise.resolve({}) }],
])("a schema that gives %s", (_, answer) => {
  it.each(saying(answer))("%s is the program's mistake", async (_when, schema) => {
    const error = await refusal(template("inv_2024", schema), { iban });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).message).toBe(
      'The schema of template "inv_2024" gave neither a value nor an issue. Mend the schema. Nothing was sent.',
    );
  });
});

describe("a refusal that says little", () => {
  it.each<[string, unknown]>([
    ["is null", null],
    ["is text", "is wrong"],
    ["has no message", {}],
    ["has a message that is no text", { message: 7 }],
    ["has an empty message", { message: " " }],
    ["has a path that is no list", { path: "lines" }],
  ])("is one still, where the issue %s", async (_, issue) => {
    for (const [, schema] of saying({ issues: [issue] })) {
      const error = await refusal(template("t", schema), {});
      expect(error).toBeInstanceOf(ValuesError);
      expect(error).toMatchObject({ issues: [{ path: [], message: "is not what the schema allows" }] });
      expect((error as ValuesError).message).toBe(
        'The values for template "t" cannot be sent: values: is not what the schema allows. Nothing was sent.',
      );
    }
  });

  it("is the program's mistake where the issue cannot be read", async () => {
    for (const [, schema] of saying({ issues: [unreadable] })) {
      const error = await refusal(template("t", schema), { iban });
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as ConfigurationError).message).toMatch(/threw RangeError/);
      expect(inspect(error)).not.toContain(iban);
    }
  });

  it("is told to its end, however long it is", async () => {
    const issues = Array.from({ length: 50_000 }, (_, at) => ({ message: "is wrong", path: ["lines", at] }));
    const error = (await refusal(
      template(
        "t",
        schemaOf(() => ({ issues })),
      ),
      {},
    )) as ValuesError;
    expect(error.issues).toHaveLength(1_000);
    expect(error.message).toMatch(/values\.lines\[19\]: is wrong; and 980 more\. Nothing was sent\.$/);
  });

  it("is one line", async () => {
    const error = await refusal(
      template(
        "t",
        schemaOf(() => ({ issues: [{ message: "is\r\nwrong", path: ["a\nb"] }] })),
      ),
      {},
    );
    expect((error as ValuesError).message).toContain('values["a\\nb"]: is wrong.');
    expect((error as ValuesError).message).not.toContain("\n");
  });
});

describe("a schema that quotes what it refuses", () => {
  const at = new Date(2026, 10, 21, 21, 23, 38, 376);

  it.each<[string, unknown, string, string]>([
    ["text", iban, `got "${iban}"`, 'got "[redacted]"'],
    ["a number", 1234567, "got 1234567", "got [redacted]"],
    ["a BigInt", 1234567n, "got 1234567", "got [redacted]"],
    ["a symbol", Symbol(iban), `got Symbol(${iban})`, "got Symbol([redacted])"],
    ["the key of a Map", new Map([[iban, 1]]), `got ${iban}`, "got [redacted]"],
    ["a member of a Set", new Set([[iban]]), `got ${iban}`, "got [redacted]"],
    [
      "a date in JSON",
      at,
      `got ${at.toJSON()}`,
      "got [redacted]-[redacted]-[redacted]:[redacted]:[redacted].[redacted]",
    ],
    ["a date in words", at, "got November 21, 2026", "got [redacted] [redacted], [redacted]"],
    ["no date", new Date(Number.NaN), "got Invalid Date", "got Invalid Date"],
    [
      "no date, in a longer message,",
      new Date(Number.NaN),
      "expected date, received Invalid Date",
      "expected date, received Invalid Date",
    ],
  ])("does not get %s into the error", async (_, value, message, told) => {
    const schema = schemaOf(() => ({ issues: [{ message, path: ["a"] }] }));
    const error = (await refusal(template("t", schema), { a: value })) as ValuesError;
    expect(error.issues).toEqual([{ path: ["a"], message: told }]);
    expect(error.message).toContain(`values.a: ${told}.`);
  });

  it("is not quoted itself where the values cannot be read", async () => {
    const cycle = cycleOf(iban);
    const schema = schemaOf(() => ({ issues: [{ message: `got ${iban}`, path: ["iban"] }] }));
    const error = await refusal(template("t", schema), cycle);
    expect(error).toMatchObject({ issues: [{ path: ["iban"], message: "is not what the schema allows" }] });
  });

  it("and throws is told without a cause where the values cannot be read", async () => {
    const cycle = cycleOf(iban);
    const [[, schema] = ["", schemaOf(() => undefined)]] = throwing(new TypeError(iban));
    const error = await refusal(template("t", schema), cycle);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).not.toHaveProperty("cause");
  });
});

describe("paths of a schema", () => {
  /** A library's own class of arrays, which is not made by a length. */
  class Path extends Array<unknown> {
    constructor(...keys: unknown[]) {
      super();
      this.push(...keys);
    }
  }

  it.each<[string, readonly unknown[], readonly (string | number)[]]>([
    ["as keys", ["lines", 0], ["lines", 0]],
    ["as objects that hold one", [{ key: "lines" }, { key: 0 }], ["lines", 0]],
    ["as symbols", [Symbol("s"), { key: Symbol("t") }], ["Symbol(s)", "Symbol(t)"]],
    ["as keys of a Map", [{ key: {} }, Object.create(null), { key: null }], ["?", "undefined", "null"]],
    ["as nothing", [null, undefined, true], ["null", "undefined", "true"]],
    ["as an array of a class of its own", new Path("lines", 0), ["lines", 0]],
    ["as an empty array of a class of its own", new Path(), []],
  ])("may be given %s", async (_, path, told) => {
    const schema = schemaOf(() => ({ issues: [{ message: "is wrong", path }] }));
    expect(await refusal(template("t", schema), {})).toMatchObject({
      issues: [{ path: told, message: "is wrong" }],
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
    expect((error as ValuesError).message).toContain("values: is wrong; values: is worse");
  });
});

property("whatever a schema answers, its mistake or the caller's is told on one line", () => {
  const anything = fc.anything({ withMap: true, withSet: true, withDate: true, withBigInt: true });
  const answers = fc.oneof(
    anything,
    fc.record({ issues: anything }),
    fc.record({ issues: fc.array(fc.record({ message: anything, path: fc.array(anything) })) }),
  );
  return fc.asyncProperty(answers, fc.boolean(), async (answer, later) => {
    fc.pre(!(Object(answer).value instanceof Object));
    const schema = schemaOf(() => (later ? Promise.resolve(answer) : answer));
    const error = await refusal(template("t", schema), { iban });
    expect(ConfigurationError.is(error) || ValuesError.is(error)).toBe(true);
    expect((error as Error).message).toMatch(/^The .* Nothing was sent\.$/);
  });
});
