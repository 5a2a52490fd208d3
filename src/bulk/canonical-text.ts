/**
 * Writes what a document is made of as one text: the same for the same template and values, whatever the order of their members.
 *
 * @returns `undefined` for values that no JSON can tell, which the client refuses
 */
export function canonicalText(uid: string, values: object): string | undefined {
  try {
    return JSON.stringify([uid, values], sorted);
  } catch {
    return undefined;
  }
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  const isSorted = members.every(([name], at) => at === 0 || (members[at - 1]?.[0] ?? "") <= name);
  return isSorted ? value : Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}
