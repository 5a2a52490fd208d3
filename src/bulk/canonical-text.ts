/**
 * Writes what a document is made of as one text: the same for the same template and values, whatever the order of their members.
 *
 * @returns `undefined` for values that JSON cannot tell, or tells as something else: only a template's schema knows what becomes of them
 */
export function canonicalText(uid: string, values: object): string | undefined {
  try {
    return JSON.stringify([uid, values], sorted);
  } catch {
    return undefined;
  }
}

function sorted(_name: string, value: unknown): unknown {
  if (isUntold(value)) throw new TypeError("No JSON tells this value.");
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
