import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { ValuesError } from "../../src/errors/errors.ts";
import { serializeValues } from "../../src/request/values.ts";
import { property } from "../support/fuzz.ts";

function refusal(values: object): ValuesError {
  try {
    serializeValues(values, "u");
  } catch (error) {
    return error as ValuesError;
  }
  throw new Error("These values were not refused.");
}

type Path = readonly (string | number)[];

/** Returns the paths of values that JSON changes. */
function changedPaths(value: unknown, path: Path): Path[] {
  if (value === null || typeof value === "string" || typeof value === "boolean") return [];
  if (typeof value === "number") return JSON.stringify(value) === String(value + 0) ? [] : [path];
  if (typeof value !== "object") return [path];
  if (value instanceof Date) return JSON.stringify(value) === "null" ? [path] : [];
  if (Array.isArray(value))
    return Array.from(value).flatMap((item, index) => changedPaths(item, [...path, index]));
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return [path];
  const properties = Object.entries(value).filter(([, property]) => property !== undefined);
  return properties.flatMap(([name, property]) => changedPaths(property, [...path, name]));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const property of Object.values(value)) deepFreeze(property);
  return Object.freeze(value);
}

const kinds = "BigInt BoxedValues Date Map Set NullPrototype SparseArray TypedArray".split(" ");
const everyKind = Object.fromEntries(kinds.map((kind) => [`with${kind}`, true]));
const ofObjects = Object.getOwnPropertyNames(Object.prototype);

property(
  "Values are sent if JSON preserves them, otherwise rejected with the path of each change, and never modified",
  () => {
    const names = fc.oneof(
      fc.constantFrom(...ofObjects, "prototype", "0", ""),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    const anything = fc.anything({ key: names, maxDepth: 4, ...everyKind });
    return fc.property(fc.dictionary(names, anything, { maxKeys: 6 }), (given) => {
      const before = inspect(given, { depth: 20, showHidden: true });
      const changed = changedPaths(deepFreeze(given), []);
      if (changed.length === 0) expect(serializeValues(given, "u")).toBe(JSON.stringify(given));
      else expect(refusal(given).issues.map(({ path }) => path)).toEqual(changed);
      expect(inspect(given, { depth: 20, showHidden: true })).toBe(before);
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(ofObjects);
    });
  },
);

describe("The error for values", () => {
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
