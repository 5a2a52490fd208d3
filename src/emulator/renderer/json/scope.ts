import type { JsonPath } from "../../../json/json-value.ts";
import type { ValuePath } from "./placeholders.ts";

/** What names in a template belong to: the values themselves, or one item of an array that is gone through. */
export interface Scope {
  readonly value: unknown;
  /** Where the array stands in the values; and which of its items this is, counted from 1. */
  readonly array: JsonPath;
  readonly number: number;
  /** What `../` leads to; the values have none. */
  readonly outer: Scope | undefined;
}

/** Goes so many `$each` out; the compiler has checked that there are that many. */
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

/** The way from the values to what a path in a template means, whether it is there or not. */
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

/** A property of the value's own; the length of an array, which JSON does not have, is none. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const isMember = Object.prototype.propertyIsEnumerable.call(value, name);
  return isMember ? (value as Record<string, unknown>)[name] : undefined;
}
