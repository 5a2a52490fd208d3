import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { ValuesError } from "../../src/errors/errors.ts";
import { serializeValues } from "../../src/request/serialize-values.ts";
import { property } from "../support/fuzz.ts";

/** Returns the error for values that cannot be sent. */
function refusal(values: unknown, areOfSchema?: boolean): ValuesError {
  try {
    serializeValues(values, "inv_2024", areOfSchema);
  } catch (error) {
    if (ValuesError.is(error)) return error;
    throw error;
  }
  throw new Error("These values were not refused.");
}

/** Returns the issues of values, as `path message`. */
const issuesOf = (values: unknown) =>
  refusal(values).issues.map(({ path, message }) => `${path.join("/")} ${message}`);

/** Nests a value in objects, at a path of `depth` names. */
function nested(depth: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = depth - 1; level >= 0; level--) value = { [`k${level}`]: value };
  return value;
}

const toJSON = (result: unknown) => ({ toJSON: () => result });
const getter = (name: string, get: () => unknown) =>
  Object.defineProperty({}, name, { get, enumerable: true });

class Line {
  readonly text = "Paper";
  readonly price = "£2";
}

class Itself {
  b = 1;
  toJSON(): this {
    return this;
  }
}

const spreading = {
  a: 1,
  toJSON(): object {
    return { ...this };
  },
};
const shared = { city: "Leeds" };
const byKey = (name: string) => ({ toJSON: (key: string) => (key === name ? key : Number.NaN) });
const inModule = { [Symbol.toStringTag]: { value: "Module" }, b: { value: 1, enumerable: true } };

it.each<[string, object]>([
  ["plain JSON values", { text: "£1,000,000", count: -0.5, paid: true, note: null, list: [{}, []] }],
  ["properties whose value is undefined", { a: undefined, b: { c: undefined }, d: 1 }],
  ["dates and URLs", { due: [new Date(0)], at: new URL("https://a.example") }],
  ["an object whose toJSON method returns the object itself", { a: new Itself() }],
  ["an object whose toJSON method returns a copy that also has toJSON", spreading],
  ["a toJSON method that uses its key argument", { a: byKey("a"), b: [byKey("0")] }],
  ["a Buffer with its own toJSON method", { a: Object.assign(Buffer.from("x"), toJSON("eA==")) }],
  ["a toJSON property that is not a function", { toJSON: "text", a: { toJSON: 1 } }],
  ["a toJSON method on the values object", { toJSON: (key: string) => (key === "" ? { a: 1 } : Number.NaN) }],
  ["instances of plain classes", { lines: [new Line()] }],
  ["a module namespace object", { a: Object.create(null, inModule) }],
  ["objects from a different realm", { a: runInNewContext("({ b: [1, { c: new Date(0) }] })") as unknown }],
  ["a property named __proto__", JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":2}}') as object],
  ["an object that occurs several times", { from: shared, to: shared, both: [shared, shared] }],
])("Values are converted exactly as JSON.stringify converts them: %s", (_, values) => {
  expect(serializeValues(values, "inv_2024")).toBe(JSON.stringify(values));
});

const cycle: { order?: unknown } = {};
cycle.order = cycle;

it.each<[string, object]>([
  [
    "order/totals/1 is NaN, which JSON converts to null: pass a finite number or a string",
    { order: { totals: [0, Number.NaN] } },
  ],
  ["total is Infinity, which JSON converts to null", { total: Number.POSITIVE_INFINITY }],
  ["lines/1 is undefined, which JSON converts to null: pass null or remove it", { lines: [1, undefined] }],
  // biome-ignore lint/suspicious/noSparseArray: a caller may have one.
  ["sparseArray/1 is undefined", { sparseArray: [1, , 3] }],
  ["due is an invalid Date, which JSON converts to null: check how it is created", { due: new Date("") }],
  ["total is a bigint, which JSON cannot represent: pass String(total)", { total: 1n }],
  ["total is a function, which JSON cannot represent: pass the result of total()", { total: () => 1 }],
  ["status is a symbol, which JSON cannot represent: pass String(status)", { status: Symbol("s") }],
  ["order has a property with the key Symbol(s)", { order: { [Symbol("s")]: 1 } }],
  ["prices is a Map: pass Object.fromEntries(prices)", { prices: new Map([["b", 1]]) }],
  ["tag list is a Set: pass Array.from(value)", { "tag list": new Set() }],
  ["total is a Promise", { total: Promise.resolve(1) }],
  ["logo is a Uint8Array: pass a base64 string of logo", { logo: new Uint8Array(2) }],
  ["logo is a Uint8Array: pass a base64 string of logo", { logo: Buffer.from("x") }],
  ["pages/0 is a Uint8Array: pass a base64 string of value", { pages: [Buffer.alloc(0)] }],
  ["logo is a Uint16Array: use plain objects and arrays", { logo: new Uint16Array(2) }],
  ["order contains itself", cycle],
  ["total is NaN", { total: toJSON(Number.NaN) }],
  ["lines/0 has a toJSON that returns undefined: check how it is created", { lines: [toJSON(undefined)] }],
  ["due has a toJSON that returns undefined: check how it is created", { due: toJSON(undefined) }],
  ["due has a toJSON that returns null: check how it is created", { due: toJSON(null) }],
  ["due/0 has a toJSON that returns null", { due: [toJSON(null)] }],
  ["due is a Date", { due: toJSON(new Date(0)) }],
  ["toJSON is NaN, which JSON converts to null", { toJSON: Number.NaN }],
])('Values that JSON cannot represent exactly are rejected with the issue "%s"', (expected, values) => {
  expect(issuesOf(values)).toEqual([expect.stringContaining(expected)]);
});

describe("A BigInt whose prototype has a toJSON method", () => {
  const extendBigInt = (convert: (this: bigint) => unknown) => {
    Object.assign(BigInt.prototype, { toJSON: convert });
    onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, "toJSON"));
  };

  it("is sent as the result of that method", () => {
    extendBigInt(function () {
      return String(this);
    });
    const values = { total: 12345678901234567890n, all: [1n] };
    expect(serializeValues(values, "inv_2024")).toBe('{"total":"12345678901234567890","all":["1"]}');
  });

  it("is rejected if JSON cannot represent the result exactly", () => {
    extendBigInt(function () {
      return Number(this) / 0;
    });
    expect(issuesOf({ total: 1n })).toEqual([expect.stringMatching(/^total is Infinity/)]);
  });
});

const notAnObject = "must be a JSON object,";
const fail = () => {
  throw new TypeError("CANARY");
};
it.each<[string, unknown]>([
  [`${notAnObject} got null`, null],
  [`${notAnObject} got undefined`, undefined],
  [`${notAnObject} got a string. Pass the object itself, without JSON.stringify`, "text"],
  [`${notAnObject} got an array`, [Number.NaN]],
  [`${notAnObject} got a Date`, new Date(0)],
  [`${notAnObject} but its toJSON returns a string`, toJSON("text")],
  [`${notAnObject} but its toJSON returns an array`, toJSON([])],
  [`${notAnObject} but its toJSON returns null`, toJSON(null)],
  ["is a Promise: await it first", Promise.resolve({})],
  ["could not be read: a getter, a proxy or toJSON threw TypeError", new Proxy({}, { get: fail })],
])('Values that are not a JSON object are rejected with the issue "%s"', (message, values) => {
  expect(refusal(values).issues).toEqual([{ path: [], message }]);
});

describe("Values that throw while they are read", () => {
  const failWithText = () => {
    throw "CANARY";
  };
  const unreadable = new Proxy({}, { ownKeys: fail });

  it.each<[string, object, string[]]>([
    ["a getter that throws", { a: [getter("b", fail)] }, ["a/0/b"]],
    ["a toJSON getter that throws", { a: getter("toJSON", fail) }, ["a"]],
    ["proxies in an object and in an array", { a: unreadable, b: [unreadable] }, ["a", "b/0"]],
    ["a toJSON method that throws a string", { a: { toJSON: failWithText } }, ["a"]],
  ])("cause an issue that contains their path but not the thrown message: %s", (_, values, paths) => {
    const error = refusal({ ...values, z: Number.NaN });
    expect(error.issues.map((issue) => issue.path.join("/"))).toEqual([...paths, "z"]);
    for (const { message } of error.issues.slice(0, -1)) expect(message).toMatch(/^could not be read: /);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("CANARY");
  });
});

describe("The error for invalid values", () => {
  it.each([
    ["The values for", undefined],
    ["The values that the schema returned for", true],
  ])("lists every invalid value in a message that begins with %j", (start, areOfSchema) => {
    const error = refusal({ lines: [{ price: Number.NaN }, { price: Number.NaN }] }, areOfSchema);
    expect(error.issues.map(({ path }) => path)).toEqual([0, 1].map((index) => ["lines", index, "price"]));
    expect(error).toMatchObject({ uid: "inv_2024", attempts: 0, code: "invalid_values" });
    const isNan = "price is NaN, which JSON converts to null: pass a finite number or a string";
    const message = `${start} template "inv_2024" cannot be sent: values.lines[0].${isNan}; values.lines[1].${isNan}.`;
    expect(error.message).toBe(message);
  });

  it.each([
    [20, ".list[19] is NaN, which JSON converts to null: pass a finite number or a string."],
    [21, ".list[19] is NaN, which JSON converts to null: pass a finite number or a string; and 1 more."],
  ])("lists at most 20 issues in its message, and counts the rest (issues: %d)", (count, end) => {
    const { message } = refusal({ list: Array(count).fill(Number.NaN) });
    expect(message.slice(-end.length)).toBe(end);
    expect(message.match(/ is NaN/g)).toHaveLength(20);
  });

  it.each([
    [20, `values${Array.from({ length: 20 }, (_, index) => `.k${index}`).join("")} is NaN`],
    [21, "values.k0.k1.k2.k3.k4.k5.k6.k7.k8.k9….k16.k17.k18.k19.k20 is NaN"],
  ])("abbreviates paths of more than 20 names (names: %d)", (depth, text) => {
    expect(refusal(nested(depth, Number.NaN)).message).toContain(`cannot be sent: ${text}`);
  });

  it("shows paths as JavaScript expressions", () => {
    const values = { lines: [{ "unit price": { "0": Number.NaN, ünit: { "a-b": { $_: Number.NaN } } } }] };
    expect(refusal(values).message).toContain(
      'values.lines[0]["unit price"]["0"] is NaN, which JSON converts to null: pass a finite number or a string; values.lines[0]["unit price"].ünit["a-b"].$_ is NaN',
    );
  });

  it("contains at most 1,000 issues", () => {
    expect(refusal({ many: Array(3_000).fill(Number.NaN) }).issues).toHaveLength(1_000);
  });

  const canary = "C4NARY";
  class Cycle {
    readonly text = canary;
    readonly self = this;
  }
  const toJSON = () => {
    throw new Error(canary);
  };
  const wrong = [
    { [canary]: () => canary }[canary],
    Symbol(canary),
    new Map([[canary, canary]]),
    new Set([canary]),
    new Error(canary),
    new RegExp(canary),
    Promise.resolve(canary),
    Object(canary),
    new Uint8Array(Buffer.from(canary)),
    [canary, undefined],
    Number.NaN,
    new Cycle(),
    { toJSON },
  ];

  property("does not contain a value, wherever the invalid values are", () => {
    const step = fc.oneof(fc.constantFrom("a", "b c"), fc.nat(2));
    const path = fc.array(step, { maxLength: 4 });
    const plant = fc.tuple(fc.constantFrom<unknown>(...wrong), path);
    const plants = fc.array(plant, { minLength: 1, maxLength: 5 });
    return fc.property(fc.jsonValue(), plants, (json, planted) => {
      const values: Record<string, unknown> = { json, text: canary, list: [canary, { canary }] };
      for (const [index, [value, keys]] of planted.entries()) {
        values[`wrong${index}`] = keys.reduceRight<unknown>(
          (inner, key) =>
            typeof key === "number" ? [...Array(key).fill(canary), inner] : { [key]: inner, canary },
          value,
        );
      }
      const error = refusal(values);
      expect(error.issues).toHaveLength(planted.length);
      for (const [index, [, keys]] of planted.entries()) {
        expect(error.issues[index]?.path.slice(0, keys.length + 1)).toEqual([`wrong${index}`, ...keys]);
      }
      expect(error.message + JSON.stringify(error) + inspect(error, { depth: 9 })).not.toContain(canary);
    });
  });
});

it("Values can be nested up to 500 levels deep", () => {
  const deepest = nested(499, {});
  expect(serializeValues(deepest, "u")).toBe(JSON.stringify(deepest));
  const tooDeep = /is nested deeper than 500 levels$/;
  expect(issuesOf(nested(500, {}))).toEqual([expect.stringMatching(tooDeep)]);
  let outgrown: unknown = "CANARY";
  for (let level = 0; level < 100_000; level++) outgrown = level % 2 ? [outgrown] : { outgrown };
  expect(issuesOf({ outgrown })).toEqual([expect.stringMatching(tooDeep)]);
});

it("Values are not modified, even if they cannot be sent", () => {
  const values = Object.freeze({ a: Object.freeze([1, Number.NaN]), b: Object.freeze({ c: new Set([1]) }) });
  const before = inspect(values, { depth: 20, showHidden: true });
  expect(refusal(values).issues.map(({ path }) => path.join("/"))).toEqual(["a/1", "b/c"]);
  expect(inspect(values, { depth: 20, showHidden: true })).toBe(before);
});
