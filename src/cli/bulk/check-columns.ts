import { nearestName } from "../../json/nearest-name.ts";
import { Misuse } from "../failure.ts";
import { areOf, countOf, formatCount, printable } from "../output.ts";
import type { Data } from "./data/row.ts";

/** The maximum number of listed problems. */
const maxTold = 20;

/** The maximum number of listed columns if a name matches no column. */
const maxListed = 50;

/**
 * Reports a missing column once instead of for every row.
 *
 * @param names - the names that an option uses
 * @throws {Misuse} if the data has columns, but none with such a name
 */
export function checkColumns({ name, columns }: Data, option: string, names: readonly string[]): void {
  if (columns === undefined) return;
  const known = new Set(columns);
  const missing = names.filter((each) => !known.has(each));
  if (missing.length === 0) return;
  const told = missing
    .slice(0, maxTold)
    .map((each) =>
      printable(
        `${option} uses ${JSON.stringify(each)}, but ${name} has no such column. ${hintFor(each, columns)}`,
      ),
    );
  const more = missing.length - told.length;
  if (more > 0) told.push(`${countOf(more, "more missing column")} ${areOf(more)} not shown.`);
  throw new Misuse(told.join("\n"));
}

function hintFor(name: string, columns: readonly string[]): string {
  if (columns.some((column) => column.normalize() === name.normalize())) {
    return "It has one that looks the same, but in another Unicode normal form. Copy the name from the header.";
  }
  const nearest = columns.length === 0 ? undefined : nearestName(name, columns);
  return nearest === undefined
    ? `Its columns are ${listOf(columns)}.`
    : `Did you mean ${JSON.stringify(nearest)}?`;
}

function listOf(columns: readonly string[]): string {
  const listed = columns.slice(0, maxListed).map((column) => JSON.stringify(column));
  const more = columns.length - listed.length;
  return more === 0 ? listed.join(", ") : `${listed.join(", ")} and ${formatCount(more)} more`;
}
