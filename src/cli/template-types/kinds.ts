/** The kinds of values JSON has, as bits. */
export const kinds = { null: 1, string: 2, number: 4, boolean: 8, array: 16, object: 32 } as const;

/** 0 is what JSON leaves out. */
export function valueKindOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return kinds.string;
    case "number":
      return kinds.number;
    case "boolean":
      return kinds.boolean;
    case "object":
      if (value === null) return kinds.null;
      return Array.isArray(value) ? kinds.array : kinds.object;
    default:
      return 0;
  }
}

/** What JSON would make of it: a sample may come from a module, and hold a `Date`. */
export function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value) as unknown) : value;
}

/** Whether kinds have nothing in common: texts, numbers and booleans are all something to print. */
export function isWild(mask: number): boolean {
  const worlds = [kinds.string | kinds.number | kinds.boolean, kinds.array, kinds.object];
  return worlds.filter((world) => mask & world).length > 1;
}
