import type { JsonPath } from "../../../json/json-value.ts";
import type { ValuePath } from "./placeholders.ts";

/** Resolves the names in a template: all values, or one item of an array that `$each` iterates over. */
export interface Scope {
  readonly value: unknown;
  /** The path of the array in the values. `number` is the position of the item, starting at 1. */
  readonly array: JsonPath;
  readonly number: number;
  /** The scope that `../` refers to. The scope of all values has no outer scope. */
  readonly outer: Scope | undefined;
}

/** Returns the scope `up` levels of `$each` outwards. The compiler has checked that it exists. */
export function outward(scope: Scope, up: number): Scope {
  let found = scope;
  for (let left = up; left > 0 && found.outer; left -= 1) found = found.outer;
  return found;
}

export function valueAt(scope: Scope, { up, names }: ValuePath): unknown {
  let { value } = outward(scope, up);
  for (const name of names) value = memberOf(value, name);
  return value;
}

/** Resolves a path in a template to a path in the values, even if the value is missing. */
export function pathTo(scope: Scope, { up, names }: ValuePath): JsonPath {
  const from = outward(scope, up);
  const path: (string | number)[] = from.outer === undefined ? [] : [...from.array, from.number - 1];
  let { value } = from;
  for (const name of names) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    path.push(!isObject && /^(?:0|[1-9]\d{0,14})$/.test(name) ? Number(name) : name);
    value = memberOf(value, name);
  }
  return path;
}

/** Returns an own property of a value. The `length` of an array does not count, because JSON arrays do not have it. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const isMember = Object.prototype.propertyIsEnumerable.call(value, name);
  return isMember ? (value as Record<string, unknown>)[name] : undefined;
}
