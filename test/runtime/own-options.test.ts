import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ownOption, ownOptions, withoutPrototype } from "../../src/runtime/own-options.ts";
import { property } from "../support/fuzz.ts";

const root = Object.prototype as unknown as Record<string, unknown>;

/** Runs a function while `Object.prototype` has these properties. */
function polluted<T>(properties: Record<string, unknown>, use: () => T): T {
  const names = Object.keys(properties);
  for (const name of names)
    Object.defineProperty(root, name, { value: properties[name], configurable: true });
  try {
    return use();
  } finally {
    for (const name of names) delete root[name];
  }
}

afterEach(() => {
  expect(Object.keys(root)).toEqual([]);
});

describe("ownOptions()", () => {
  it("returns an object without a prototype that has only the known options that are set", () => {
    const options = ownOptions<Record<string, unknown>>({ a: 1, b: undefined, c: null, d: 4 }, [
      "a",
      "b",
      "c",
      "x",
    ]);
    expect(Object.getPrototypeOf(options)).toBeNull();
    expect(Object.entries(options)).toEqual([
      ["a", 1],
      ["c", null],
    ]);
  });

  it("ignores what is inherited from Object.prototype, also in another realm", () => {
    const foreign = runInNewContext("Object.prototype.a = 1; ({ b: 2 })");
    expect({ ...ownOptions(foreign, ["a", "b"]) }).toEqual({ b: 2 });
    polluted({ a: 1, b: 1 }, () => {
      expect({ ...ownOptions<Record<string, unknown>>({ b: 2 }, ["a", "b"]) }).toEqual({ b: 2 });
      expect({ ...ownOptions<Record<string, unknown>>(Object.create(null), ["a", "b"]) }).toEqual({});
      expect(ownOption([] as { a?: number }, "a")).toBeUndefined();
    });
  });

  it("includes what is inherited from a class of the caller's own", () => {
    class Base {
      get a() {
        return "of the base class";
      }
    }
    class Config extends Base {
      own = "own";
      get b() {
        return this.own;
      }
    }
    const read = () => ({ ...ownOptions<Partial<Config> & { c?: 1 }>(new Config(), ["a", "b", "c"]) });
    expect(read()).toEqual({ a: "of the base class", b: "own" });
    expect(polluted({ a: 1, b: 2, c: 3 }, read)).toEqual({ a: "of the base class", b: "own" });
    expect({ ...ownOptions(Object.create({ a: 1 }) as { a: number }, ["a"]) }).toEqual({ a: 1 });
  });

  it("includes properties that cannot be enumerated", () => {
    const given = Object.defineProperty({} as { a?: number }, "a", { value: 1 });
    expect(ownOptions(given, ["a"]).a).toBe(1);
  });

  it("reads each option once", () => {
    const get = vi.fn(() => get.mock.calls.length);
    const options = ownOptions(Object.defineProperty({} as { a?: number }, "a", { get }), ["a"]);
    expect({ first: options.a, second: options.a }).toEqual({ first: 1, second: 1 });
    expect(get).toHaveBeenCalledTimes(1);
  });

  it("does not call a getter of Object.prototype", () => {
    const get = vi.fn();
    Object.defineProperty(root, "a", { get, configurable: true });
    ownOptions<{ a?: unknown }>({}, ["a"]);
    delete root["a"];
    expect(get).not.toHaveBeenCalled();
  });

  it("throws what a getter throws", () => {
    const given = {
      get a() {
        throw new Error("from the getter");
      },
    };
    expect(() => ownOptions(given, ["a"])).toThrow("from the getter");
  });
});

it("withoutPrototype() copies the properties to an object that inherits nothing", () => {
  const copy = polluted({ a: 1, b: 1 }, () => withoutPrototype<{ a?: number; b?: number }>({ b: 2 }));
  expect(Object.getPrototypeOf(copy)).toBeNull();
  expect({ ...copy }).toEqual({ b: 2 });
});

property("The options are the same, however Object.prototype is polluted", () => {
  const names = fc.constantFrom("a", "b", "constructor", "toString", "__proto__", "valueOf", "then");
  const objects = fc.dictionary(names, fc.integer(), { noNullPrototype: true });
  const pollution = fc.dictionary(fc.constantFrom("a", "b", "then"), fc.integer());
  return fc.property(objects, pollution, (given, properties) => {
    const all = ["a", "b", "constructor", "toString", "__proto__", "valueOf", "then"];
    const read = () => Object.entries(ownOptions<Record<string, unknown>>(given, all)).join();
    const expected = Object.entries(given)
      .sort(([one], [other]) => all.indexOf(one) - all.indexOf(other))
      .join();
    return read() === expected && polluted(properties, read) === expected;
  });
});
