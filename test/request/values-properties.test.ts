import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { ValuesError } from "../../src/errors/errors.ts";
import { serializeValues } from "../../src/request/values.ts";
import { property } from "../support/fuzz.ts";

/** The places at which values are refused. */
function refusedPaths(values: object): unknown[] {
  try {
    return [serializeValues(values, "u")];
  } catch (error) {
    if (error instanceof ValuesError) return error.issues.map(({ path }) => path);
    throw error;
  }
}

/** What every object has before any test. */
const ofObjects = Object.getOwnPropertyNames(Object.prototype);

/** Whether JSON brings a value back, by what it does and not by what it is; `undefined` where all is well. */
function lostIn(value: unknown, path: readonly (string | number)[]): (readonly (string | number)[])[] {
  if (value === null || typeof value === "string" || typeof value === "boolean") return [];
  if (typeof value === "number") return JSON.stringify(value) === String(value + 0) ? [] : [path];
  if (typeof value !== "object") return [path];
  if (value instanceof Date) return JSON.stringify(value) === "null" ? [path] : [];
  if (Array.isArray(value)) return Array.from(value).flatMap((item, index) => lostIn(item, [...path, index]));
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isPlain) return [path];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.flatMap(([name, member]) => lostIn(member, [...path, name]));
}

describe("anything at all", () => {
  const names = fc.oneof(
    fc.constantFrom(
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "valueOf",
      "hasOwnProperty",
      "0",
      "",
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const anything = fc.anything({
    key: names,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 4,
  });
  const values = fc.dictionary(names, anything, { maxKeys: 6 });

  property("is sent where JSON keeps it, and is refused at exactly the places where it does not", () =>
    fc.property(values, (given) => {
      const lost = lostIn(given, []);
      if (lost.length === 0) expect(serializeValues(given, "u")).toBe(JSON.stringify(given));
      else expect(refusedPaths(given)).toEqual(lost);
    }),
  );

  property("is left as it was", () =>
    fc.property(values, (given) => {
      const before = inspect(given, { depth: 20, showHidden: true });
      try {
        serializeValues(deepFreeze(given), "u");
      } catch (error) {
        expect(error).toBeInstanceOf(ValuesError);
      }
      expect(inspect(given, { depth: 20, showHidden: true })).toBe(before);
    }),
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

describe("a JSON text that would pollute what reads it carelessly", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "toJSON", "a"];
  const json = fc.letrec<{ any: string; object: string }>((tie) => ({
    object: fc
      .array(fc.tuple(fc.constantFrom(...names), tie("any")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`),
    any: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom("1", '"x"', "null", "true"),
      fc.array(tie("any"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
      tie("object"),
    ),
  })).object;

  property("arrives as the plain data that it is", () =>
    fc.property(json, (text) => {
      const given = JSON.parse(text) as object;
      expect(serializeValues(given, "u")).toBe(JSON.stringify(given));
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(ofObjects);
      expect(({} as { a?: unknown }).a).toBeUndefined();
    }),
  );
});
