import { formatPlace } from "../server/format-place.ts";

/**
 * Writes values as lines that a reader of a document can find: `lines[0].amount: £640.00`. Texts stand as they are.
 */
export function textOfValues(values: Record<string, unknown>): string {
  return [...linesOf(values, [])].join("\n");
}

function* linesOf(value: unknown, path: readonly (string | number)[]): Generator<string, void, void> {
  const members = membersOf(value);
  if (members.length === 0) {
    if (path.length > 0)
      yield `${formatPlace(path)}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
    return;
  }
  for (const [key, member] of members) yield* linesOf(member, [...path, key]);
}

function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}
