import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ValuesError } from "../src/errors/errors.ts";
import { serializeValues } from "../src/request/values.ts";
import { property } from "./support/fuzz.ts";

/** The error for values that cannot be sent. */
function refusal(values: unknown): ValuesError {
  try {
    serializeValues(values, "inv_2024");
  } catch (error) {
    if (ValuesError.is(error)) return error;
    throw error;
  }
  throw new Error("These values were not refused.");
}

/** Where and why values were refused, as `path message`. */
const complaints = (values: unknown) =>
  refusal(values).issues.map(({ path, message }) => `${path.join("/")} ${message}`);

class Money {
  readonly #pence: number;
  constructor(pence: number) {
    this.#pence = pence;
  }
  toJSON(): string {
    return `£${(this.#pence / 100).toFixed(2)}`;
  }
}

class Line {
  constructor(
    readonly text: string,
    readonly price: unknown,
  ) {}
}

class Itself {
  b = 1;
  toJSON(): this {
    return this;
  }
}

const named = (name: string) => ({ toJSON: (key: string) => (key === name ? key : Number.NaN) });

const shown = (value: unknown) => ({ value, enumerable: true });

const getter = (name: string, get: () => unknown) =>
  Object.defineProperty({}, name, { get, enumerable: true });

const shared = { city: "Leeds" };

describe("values that JSON can hold are sent as JSON.stringify writes them", () => {
  it.each<[string, object]>([
    ["strings, numbers, booleans and null", { text: "£1,000,000", count: -0.5, paid: true, note: null }],
    ["nothing at all", {}],
    ["members that are undefined, which are left out", { a: undefined, b: { c: undefined }, d: 1 }],
    ["dates", { due: new Date(0), nested: [new Date(86_400_000)] }],
    [
      "what has a toJSON",
      { total: new Money(100_000), at: new URL("https://example.com"), raw: Buffer.from("x") },
    ],
    ["an object whose toJSON gives an object", { a: { toJSON: () => ({ b: [1] }) } }],
    ["an object of a class whose toJSON gives itself", { a: new Itself() }],
    ["a toJSON that looks at its key", { a: named("a"), b: [named("0")] }],
    [
      "a toJSON that gives something with another toJSON, which JSON does not call",
      { a: { toJSON: () => ({ b: new Money(1) }) } },
    ],
    ["a member that is merely named toJSON", { toJSON: "text", a: { toJSON: 1 } }],
    ["instances of plain classes", { lines: [new Line("Paper", "£2"), new Line("Ink", null)] }],
    ["objects without a prototype", Object.assign(Object.create(null), { a: Object.create(null) })],
    ["a module", { a: Object.create(null, { [Symbol.toStringTag]: { value: "Module" }, b: shown(1) }) }],
    ["objects of another realm", { a: runInNewContext("({ b: [1, { c: new Date(0) }] })") as unknown }],
    ["one object in several places", { from: shared, to: shared, both: [shared, shared] }],
    ["an own member named __proto__", JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as object],
    ["names that no identifier has", { "": 1, "a b": 2, "a.b": 3, "0": 4, ü: 5 }],
    ["lone surrogates, escaped", { text: "\ud800 and \udfff" }],
    ["a proxy of a plain object", { a: new Proxy({ b: 1 }, {}), list: new Proxy([1, 2], {}) }],
    ["getters", getter("total", () => "£2")],
    [
      "what is not enumerable, which is left out",
      Object.defineProperty({ a: 1 }, "hidden", { value: () => 1 }),
    ],
    ["an array with a toJSON", { list: Object.assign([1], { toJSON: () => "one" }) }],
    ["a toJSON at the top that gives an object", { toJSON: () => ({ a: 1 }) }],
  ])("%s", (_, values) => {
    expect(serializeValues(values, "inv_2024")).toBe(JSON.stringify(values));
  });

  property("any JSON object arrives as it was", () =>
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })),
      (values) => {
        const sent = serializeValues(values, "u");
        expect(sent).toBe(JSON.stringify(values));
        expect(JSON.parse(sent)).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
  );
});

describe("what JSON would change in silence is refused, with its path", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const list: unknown[] = [];
  list.push([list]);

  it.each<[string, object, string]>([
    ["NaN", { a: { b: [0, Number.NaN] } }, "a/b/1 is NaN, which JSON turns into null"],
    ["Infinity", { a: Number.POSITIVE_INFINITY }, "a is Infinity, which JSON turns into null"],
    ["-Infinity", { a: Number.NEGATIVE_INFINITY }, "a is -Infinity, which JSON turns into null"],
    ["undefined in an array", { a: [1, undefined] }, "a/1 is undefined"],
    // biome-ignore lint/suspicious/noSparseArray: this is the test.
    ["a hole in an array", { a: [1, , 3] }, "a/1 is undefined"],
    ["an invalid date", { due: new Date(Number.NaN) }, "due is an invalid Date"],
    [
      "an invalid date of another realm",
      { due: runInNewContext("new Date(NaN)") as unknown },
      "due is an invalid Date",
    ],
    ["a BigInt", { a: 1n }, "a is a bigint"],
    ["a function", { a: () => 1 }, "a is a function"],
    ["a class", { a: Money }, "a is a function"],
    ["a symbol", { a: Symbol("s") }, "a is a symbol"],
    ["a member named by a symbol", { a: { [Symbol("s")]: 1 } }, "a has a member whose name is Symbol(s)"],
    ["a Map", { a: new Map([["b", 1]]) }, "a is a Map"],
    ["a Set", { a: new Set() }, "a is a Set"],
    ["a Map of another realm", { a: runInNewContext("new Map()") as unknown }, "a is a Map"],
    ["a subclass of Map", { a: new (class Prices extends Map {})() }, "a is a Map"],
    ["a proxy of a Map", { a: new Proxy(new Map(), {}) }, "a is a Map"],
    ["a WeakMap", { a: new WeakMap() }, "a is a WeakMap"],
    ["a promise", { a: Promise.resolve(1) }, "a is a Promise"],
    ["a regular expression", { a: /x/ }, "a is a RegExp"],
    ["an error", { a: new Error("x") }, "a is an Error"],
    ["typed arrays", { a: new Uint8Array(2) }, "Uint8Array, whose content"],
    ["an ArrayBuffer", { a: new ArrayBuffer(2) }, "a is an ArrayBuffer"],
    ["URLSearchParams", { a: new URLSearchParams("b=1") }, "URLSearchParams, whose content"],
    ["a Blob", { a: new Blob(["x"]) }, "a is a Blob"],
    ["a generator", { a: (function* () {})() }, "a is a Generator"],
    ["a boxed string", { a: Object("x") as unknown }, "a is a String"],
    ["a boxed number", { a: Object(1) as unknown }, "a is a Number"],
    ["an object that holds itself", cycle, "self contains itself"],
    ["an array that holds itself", { list }, "list/0/0 contains itself"],
    ["a toJSON that gives NaN", { a: { toJSON: () => Number.NaN } }, "a is NaN"],
    [
      "a toJSON that gives something bad inside",
      { a: { toJSON: () => ({ b: [new Map()] }) } },
      "a/b/0 is a Map",
    ],
    ["a toJSON that gives undefined, in an array", { a: [{ toJSON: () => undefined }] }, "a/0 is undefined"],
    [
      "a toJSON that gives a Date, whose own toJSON JSON does not call",
      { a: { toJSON: () => new Date(0) } },
      "a is a Date",
    ],
  ])("%s", (_, values, expected) => {
    expect(complaints(values)).toEqual([expect.stringContaining(expected)]);
  });

  it("a toJSON that gives undefined leaves the member out, as undefined does", () => {
    expect(serializeValues({ a: { toJSON: () => undefined }, b: 1 }, "u")).toBe('{"b":1}');
  });

  it("an object literal whose own toJSON spreads itself is sent as its author meant", () => {
    const values = {
      a: 1,
      toJSON(): object {
        return { ...this };
      },
    };
    expect(serializeValues(values, "u")).toBe('{"a":1}');
  });
});

describe("the values as a whole are one JSON object", () => {
  it.each<[string, unknown, string]>([
    ["undefined", undefined, "got undefined"],
    ["null", null, "got null"],
    ["a string", '{"a":1}', "got a string"],
    ["a number", 1, "got a number"],
    ["NaN", Number.NaN, "got a number"],
    ["a boolean", true, "got a boolean"],
    ["an array", [{ a: 1 }], "got an array"],
    ["an array with something bad inside", [Number.NaN], "got an array"],
    ["a date", new Date(0), "got a Date"],
    ["a function", () => ({}), "got a function"],
    ["a symbol", Symbol("s"), "got a symbol"],
    ["a BigInt", 1n, "got a bigint"],
  ])("%s is refused", (_, values, expected) => {
    expect(complaints(values)).toEqual([` must be one JSON object, ${expected}`]);
  });

  it.each<[string, unknown]>([
    ["a Map", new Map()],
    ["a promise, which was not awaited", Promise.resolve({ a: 1 })],
    ["a toJSON that gives a string", { toJSON: () => "text" }],
    ["a toJSON that gives an array", { toJSON: () => [] }],
    ["a toJSON that gives null", { toJSON: () => null }],
    ["a toJSON that gives undefined", { toJSON: () => undefined }],
  ])("%s is refused", (_, values) => {
    expect(refusal(values).issues).toEqual([{ path: [], message: expect.any(String) }]);
  });
});

describe("values that cannot be read", () => {
  const thrown = () => {
    throw new TypeError("CANARY");
  };
  const thrownText = () => {
    throw "CANARY";
  };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each<[string, object, string]>([
    ["a getter that throws", { a: [getter("b", thrown)] }, "a/0/b"],
    ["a toJSON that throws", { a: { toJSON: thrown } }, "a"],
    ["a getter named toJSON that throws", { a: getter("toJSON", thrown) }, "a"],
    ["a proxy that throws when its names are read", { a: new Proxy({}, { ownKeys: thrown }) }, "a"],
    ["a revoked proxy", { a: revoked }, "a"],
    ["something thrown that is no error", { a: { toJSON: thrownText } }, "a"],
  ])("%s", (_, values, path) => {
    const error = refusal({ ...values, z: Number.NaN });
    expect(error.issues.map((issue) => issue.path.join("/"))).toEqual([path, "z"]);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("CANARY");
  });

  it("one of them in several places is told in each", () => {
    const unreadable = new Proxy({}, { ownKeys: thrown });
    const couldNot = expect.stringContaining("could not be read: TypeError");
    expect(complaints({ a: unreadable, b: [unreadable] })).toEqual([couldNot, couldNot]);
  });

  it("a RangeError of the caller's own is not mistaken for deep nesting", () => {
    expect(complaints({ due: { toJSON: () => new Date(Number.NaN).toISOString() } }).join()).toMatch(
      /RangeError/,
    );
  });

  it("nesting that outgrows the stack is refused in so many words", () => {
    let deep: unknown = "CANARY";
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { deep };
    expect(refusal({ deep }).message).toMatch(/is nested deeper than 500 levels/);
  });
});

describe("the error", () => {
  it("lists every issue, and the first twenty of them in its message", () => {
    const values = { lines: Array.from({ length: 25 }, () => ({ price: Number.NaN })) };
    const error = refusal(values);
    expect(error.issues.map(({ path }) => path)).toEqual(
      values.lines.map((_, index) => ["lines", index, "price"]),
    );
    expect(error.message.match(/lines\[\d+\]\.price is NaN/g)).toHaveLength(20);
    expect(error.message).toMatch(/; and 5 more\. Nothing was sent\.$/);
    expect(error).toMatchObject({ uid: "inv_2024", attempts: 0, code: "invalid_values" });
    expect(error.message).toContain('"inv_2024"');
  });

  it("writes paths as JavaScript would", () => {
    const values = { lines: [{ "unit price": { "0": Number.NaN, ünit: { "a-b": { $_: Number.NaN } } } }] };
    expect(refusal(values).message).toContain(
      'values.lines[0]["unit price"]["0"] is NaN, which JSON turns into null; values.lines[0]["unit price"].ünit["a-b"].$_ is NaN',
    );
  });

  it("stays small for an array with millions of holes", () => {
    expect(refusal({ a: new Array(3_000_000) }).issues.length).toBeLessThan(10_000);
  });

  const canary = "C4NARY";
  class Cycle {
    readonly text = canary;
    readonly self = this;
  }
  const thrower = {
    toJSON() {
      throw new Error(canary);
    },
  };
  const bad = [
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
    thrower,
  ];

  property("never holds a value, wherever in any JSON the bad ones stand", () => {
    const step = fc.oneof(fc.constantFrom("a", "b c"), fc.nat(2));
    const plant = fc.record({
      kind: fc.constantFrom<unknown>(...bad),
      path: fc.array(step, { maxLength: 4 }),
    });
    return fc.property(fc.jsonValue(), fc.array(plant, { minLength: 1, maxLength: 5 }), (json, plants) => {
      const values: Record<string, unknown> = { json, text: canary, list: [canary, { canary }] };
      for (const [index, { kind, path }] of plants.entries()) {
        values[`bad${index}`] = path.reduceRight<unknown>(
          (inner, key) =>
            typeof key === "number" ? [...Array(key).fill(canary), inner] : { [key]: inner, canary },
          kind,
        );
      }
      const error = refusal(values);
      expect(error.issues).toHaveLength(plants.length);
      for (const [index, { path }] of plants.entries()) {
        expect(error.issues[index]?.path.slice(0, path.length + 1)).toEqual([`bad${index}`, ...path]);
      }
      expect(error.message + JSON.stringify(error) + inspect(error, { depth: 9 })).not.toContain(canary);
    });
  });
});
