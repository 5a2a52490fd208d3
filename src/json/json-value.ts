/** Whether a JSON value is an object and not an array. */
export function isJsonObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** The path to a part of a JSON value: property names and array indices. */
export type JsonPath = readonly (string | number)[];

/** The maximum nesting of JSON: far more than a document needs, and too little to overflow the stack. */
export const maxNesting = 500;

export const tooDeep = `is nested deeper than ${maxNesting} levels`;

/** Whether a value is nested deeper than `depth` levels. Does not recurse any deeper. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
