/**
 * Serializes the template uid and the values. The result does not depend on the order of properties.
 *
 * @returns the string, or `undefined` for values that JSON cannot represent exactly and only the schema can convert
 */
export function canonicalText(uid: string, values: object): string | undefined {
  try {
    return JSON.stringify([uid, values], sorted);
  } catch {
    return undefined;
  }
}

function sorted(_name: string, value: unknown): unknown {
  if (isUntold(value)) throw new TypeError("JSON cannot represent this value.");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  const isSorted = members.every(([name], at) => at === 0 || (members[at - 1]?.[0] ?? "") <= name);
  return isSorted ? value : Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isUntold(value: unknown): boolean {
  return (
    typeof value === "function" ||
    typeof value === "symbol" ||
    (typeof value === "number" && !Number.isFinite(value)) ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  );
}
