import { formatJsonPath, type JsonPath } from "../json/json-value.ts";

/** The most lines that a document shows: millions would take seconds. */
const maxLines = 10_000;

/** Writes values as lines that a reader of a document can find: `lines[0].amount: £640.00`. Texts stand as they are. */
export function linesOfValues(values: Record<string, unknown>): string[] {
  const lines: string[] = [];
  for (const [key, member] of membersOf(values)) {
    for (const line of linesOf(member, [key])) {
      if (lines.length === maxLines) return [...lines, "and more"];
      lines.push(line);
    }
  }
  return lines;
}

function* linesOf(value: unknown, place: JsonPath): Generator<string, void, void> {
  const members = membersOf(value);
  if (members.length === 0) {
    yield `${formatJsonPath(place)}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
  }
  for (const [key, member] of members) yield* linesOf(member, [...place, key]);
}

function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}
