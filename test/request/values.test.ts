import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ValuesError } from "../../src/errors/errors.ts";
import { serializeValues } from "../../src/request/values.ts";
import { property } from "../support/fuzz.ts";

/** The error for values that cannot be sent. */
function refusal(values: unknown, ...areOfSchema: [boolean?]): ValuesError {
  try {
    serializeValues(values, "inv_2024", ...areOfSchema);
  } catch (error) {
    if (ValuesError.is(error)) return error;
    throw error;
  }
  throw new Error("These values were not refused.");
}

/** Where and why values were refused, as `path message`. */
const complaints = (values: unknown) =>
  refusal(values).issues.map(({ path, message }) => `${path.join("/")} ${message}`);

const reasons = (values: unknown) => refusal(values).issues.map(({ message }) => message);

/** Objects one in the other, so that the innermost stands at `depth` names. */
function nested(depth: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = depth - 1; level >= 0; level--) value = { [`k${level}`]: value };
  return value;
}

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

const thrown = () => {
  throw new TypeError("CANARY");
};

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
    ["lone surrogates, escaped", { text: "\ud800 and \udfff" }],
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
    ["a symbol", { a: Symbol("s") }, "a is a symbol"],
    ["a member named by a symbol", { a: { [Symbol("s")]: 1 } }, "a has a member whose name is Symbol(s)"],
    ["a Map", { a: new Map([["b", 1]]) }, "a is a Map"],
    ["a Set", { a: new Set() }, "a is a Set"],
    ["a proxy of a Map", { a: new Proxy(new Map(), {}) }, "a is a Map"],
    ["a promise", { a: Promise.resolve(1) }, "a is a Promise"],
    ["a regular expression", { a: /x/ }, "a is a RegExp"],
    ["an error", { a: new Error("x") }, "a is an Error"],
    ["typed arrays", { a: new Uint8Array(2) }, "Uint8Array, whose content"],
    ["a boxed string", { a: Object("x") as unknown }, "a is a String"],
    ["an object that holds itself", cycle, "self contains itself"],
    ["a toJSON that gives NaN", { a: { toJSON: () => Number.NaN } }, "a is NaN"],
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

describe("values that are not one JSON object", () => {
  const notOne = "must be one JSON object,";
  it.each<[string, unknown]>([
    [`${notOne} got null`, null],
    [`${notOne} got undefined`, undefined],
    [`${notOne} got a string`, "text"],
    [`${notOne} got a number`, Number.NaN],
    [`${notOne} got an array`, [Number.NaN]],
    [`${notOne} got a Date`, new Date(0)],
    [`${notOne} but its toJSON gives a string`, { toJSON: () => "text" }],
    [`${notOne} but its toJSON gives an array`, { toJSON: () => [] }],
    [`${notOne} but its toJSON gives null`, { toJSON: () => null }],
    [`${notOne} but its toJSON gives undefined`, { toJSON: () => undefined }],
    ["is a Promise: await it first", Promise.resolve({})],
    ["is a Map, whose content JSON leaves out or changes: use plain objects and arrays", new Map()],
    [
      "could not be read: TypeError was thrown by a getter, a proxy or toJSON",
      new Proxy({}, { get: thrown }),
    ],
  ])("are refused with their kind: %s", (message, values) => {
    expect(refusal(values).issues).toEqual([{ path: [], message }]);
  });
});

describe("values that cannot be read", () => {
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
  it("has an issue for each mistake, and the uid", () => {
    const error = refusal({ lines: [{ price: Number.NaN }, { price: Number.NaN }] });
    expect(error.issues.map(({ path }) => path)).toEqual([0, 1].map((index) => ["lines", index, "price"]));
    expect(error).toMatchObject({ uid: "inv_2024", attempts: 0, code: "invalid_values" });
  });

  it.each<[string, [boolean?]]>([
    ["The values for", []],
    ["The values that the schema made for", [true]],
  ])("says whose values they are: %s", (begin, areOfSchema) => {
    expect(refusal({ a: Number.NaN }, ...areOfSchema).message).toBe(
      `${begin} template "inv_2024" cannot be sent: values.a is NaN, which JSON turns into null. Nothing was sent.`,
    );
  });

  it.each([
    [1, "values[0] is NaN, which JSON turns into null. Nothing was sent."],
    [20, "which JSON turns into null. Nothing was sent."],
    [21, "which JSON turns into null; and 1 more. Nothing was sent."],
  ])("of %d issues counts those that it does not list", (count, end) => {
    const list = Array(count).fill(Number.NaN);
    const { message } = refusal({ list });
    expect(message.replaceAll("values.list", "values").slice(-end.length)).toBe(end);
    expect(message.match(/ is NaN/g)).toHaveLength(Math.min(count, 20));
    expect(message.includes(" more")).toBe(count > 20);
  });

  it.each([
    [20, `values${Array.from({ length: 20 }, (_, index) => `.k${index}`).join("")} is NaN`],
    [21, "values.k0.k1.k2.k3.k4.k5.k6.k7.k8.k9….k16.k17.k18.k19.k20 is NaN"],
    [400, "values.k0.k1.k2.k3.k4.k5.k6.k7.k8.k9….k395.k396.k397.k398.k399 is NaN"],
  ])("of a path of %d names tells both its ends", (depth, told) => {
    expect(refusal(nested(depth, Number.NaN)).message).toContain(`cannot be sent: ${told}`);
  });

  it("writes paths as JavaScript would", () => {
    const values = { lines: [{ "unit price": { "0": Number.NaN, ünit: { "a-b": { $_: Number.NaN } } } }] };
    expect(refusal(values).message).toContain(
      'values.lines[0]["unit price"]["0"] is NaN, which JSON turns into null; values.lines[0]["unit price"].ünit["a-b"].$_ is NaN',
    );
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

describe("values are searched", () => {
  it("500 levels deep", () => {
    const deepest = nested(499, {});
    expect(serializeValues(deepest, "u")).toBe(JSON.stringify(deepest));
    expect(reasons(nested(500, {}))).toEqual(["is nested deeper than 500 levels"]);
  });

  it.each([
    ["an array", Array(3_000).fill(Number.NaN)],
    ["an object", Object.fromEntries(Array.from({ length: 3_000 }, (_, name) => [`n${name}`, Number.NaN]))],
  ])("for 1,000 issues at most: %s", (_, many) => {
    expect(reasons({ many })).toHaveLength(1_000);
  });
});

describe("toJSON", () => {
  it("is asked with the names that JSON asks it with", () => {
    const toJSON = vi.fn((key: string) => ({ key }));
    serializeValues({ toJSON }, "u");
    expect(toJSON.mock.calls).toEqual([[""], [""]]);
  });

  it("of what is no date may give null", () => {
    expect(serializeValues({ a: { toJSON: () => null } }, "u")).toBe('{"a":null}');
  });

  it("that is no function is a member as any other", () => {
    expect(refusal({ toJSON: Number.NaN }).issues).toEqual([
      { path: ["toJSON"], message: "is NaN, which JSON turns into null" },
    ]);
  });
});

it("a plain object may call itself what it likes", () => {
  const thing = Object.defineProperty({ a: 1 }, Symbol.toStringTag, { value: "Thing" });
  expect(serializeValues({ thing }, "u")).toBe('{"thing":{"a":1}}');
});
