import { isJsonObject } from "../../json/json-value.ts";
import { isBlank } from "./data/row.ts";

/** The maximum number of names whose values are counted, because JSON can have other names in every row. */
const maxNames = 1000;

/** The maximum number of rows that are listed for a name. */
const maxListed = 5;

/** The maximum nesting of names, for example 2 for `customer.name`. */
const maxDepth = 8;

/** A column, or a property of JSON, that is empty only in some rows. */
export interface EmptyColumn {
  readonly name: string;
  readonly emptyCount: number;
  /** The ordinals of the first rows in which it is empty. */
  readonly ordinals: readonly number[];
}

/** Finds the columns of a run that are empty in some rows, but not in most. */
export class EmptyCells {
  /** The number of rows with a value, and the first rows without one, by name. */
  readonly #columns = new Map<string, { fullCount: number; readonly ordinals: number[] }>();
  readonly #firstOrdinals: number[] = [];
  #rowCount = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  /** @param ordinal - identifies the row for messages */
  add(values: object, ordinal: number): void {
    const full = fullNames(values);
    for (const name of full) {
      if (this.#columns.has(name) || this.#columns.size === maxNames) continue;
      // The rows before this one do not have the name.
      this.#columns.set(name, { fullCount: 0, ordinals: [...this.#firstOrdinals] });
    }
    for (const [name, column] of this.#columns) {
      if (full.has(name)) column.fullCount++;
      else if (column.ordinals.length < maxListed) column.ordinals.push(ordinal);
    }
    if (this.#firstOrdinals.length < maxListed) this.#firstOrdinals.push(ordinal);
    this.#rowCount++;
  }

  /** The columns that are empty in at most half of the rows. In other columns, an empty cell is the usual case. */
  get columns(): EmptyColumn[] {
    return [...this.#columns]
      .map(([name, { fullCount, ordinals }]) => ({ name, ordinals, emptyCount: this.#rowCount - fullCount }))
      .filter(({ emptyCount }) => emptyCount > 0 && emptyCount * 2 <= this.#rowCount);
  }
}

/** Whether a row has a value with this name, or within the object with this name. */
export function hasValue(full: ReadonlySet<string>, name: string): boolean {
  return full.has(name) || [...full].some((each) => each.startsWith(`${name}.`));
}

/** Returns the names of all values that are not empty; dots separate nested names. */
export function fullNames(values: object, prefix = "", depth = 1, full = new Set<string>()): Set<string> {
  for (const [key, value] of Object.entries(values)) {
    const name = prefix + key;
    if (isJsonObject(value) && depth < maxDepth && !(value instanceof Date)) {
      fullNames(value, `${name}.`, depth + 1, full);
    } else if (!isEmpty(value)) {
      full.add(name);
    }
  }
  return full;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return isBlank(value);
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
