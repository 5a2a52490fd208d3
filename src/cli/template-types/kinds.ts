/** The kinds of values JSON has, as bits. */
export const kinds = { null: 1, string: 2, number: 4, boolean: 8, array: 16, object: 32 } as const;

/** The kind of a value of JSON. */
export function valueKindOf(value: unknown): number {
  if (value === null) return kinds.null;
  if (Array.isArray(value)) return kinds.array;
  return kinds[typeof value as "string" | "number" | "boolean" | "object"];
}

/** Whether kinds have nothing in common: texts, numbers and booleans are all something to print. */
export function isWild(mask: number): boolean {
  const worlds = [kinds.string | kinds.number | kinds.boolean, kinds.array, kinds.object];
  return worlds.filter((world) => mask & world).length > 1;
}
