import { isInstance } from "../../../errors/foreign-values.ts";
import type { ValuesIssue } from "../../../index.ts";
import { isJsonObject, type JsonPath } from "../../../json/json-value.ts";
import { Misuse } from "../../failure.ts";
import { absent, otherReadings, requiresTypeOf, withAdvice } from "./typed-cells.ts";

type Values = Record<string, unknown>;

/** Checks values with a schema. */
export type CheckValues = (values: Values) => readonly ValuesIssue[] | Promise<readonly ValuesIssue[]>;

/** Values as a schema reads them, and the issues with them. */
export interface CheckedValues {
  readonly values: Values;
  readonly issues: readonly ValuesIssue[];
}

/** A cell while its row is read. */
interface Cell {
  readonly path: JsonPath;
  readonly text: string;
  value: unknown;
  /** Why the schema refuses the text; `undefined` if it does not. */
  refusal?: string;
  /** The values that are left to try; `undefined` before the first. */
  others?: unknown[];
}

/**
 * Reads the texts of CSV cells as the values that a schema requires.
 *
 * Asks the schema instead of interpreting it, so that all keywords of JSON Schema and all schema libraries work: a text that the
 * schema accepts stays a text. Otherwise, the schema is asked about the value that the text denotes.
 */
export class CellReader {
  readonly #columns: readonly (readonly [name: string, path: JsonPath])[];
  readonly #check: CheckValues;

  private constructor(columns: readonly (readonly [string, JsonPath])[], check: CheckValues) {
    this.#columns = columns;
    this.#check = check;
  }

  /**
   * Finds the columns whose names lead into an object of the schema, such as `customer.name`.
   *
   * @throws {Misuse} if a column leads into an array
   */
  static async for(names: readonly string[], check: CheckValues): Promise<CellReader> {
    const columns: [string, JsonPath][] = [];
    for (const name of names) columns.push([name, await pathOf(name, names, check)]);
    return new CellReader(columns, check);
  }

  /** Reads a row. The issues do not contain values. */
  async read(texts: Values): Promise<CheckedValues> {
    const cells = this.#columns.map(([name, path]): Cell => {
      const text = texts[name] as string;
      return { path, text, value: text };
    });
    const asTexts = await this.#checked(cells);
    let read = asTexts;
    while (tryOthers(cells, read.issues)) {
      try {
        read = await this.#checked(cells);
      } catch {
        // A schema with its own functions may throw for values that it does not expect.
        read = asTexts;
        break;
      }
    }
    return { ...read, issues: read.issues.map((issue) => explained(issue, cells)) };
  }

  async #checked(cells: readonly Cell[]): Promise<CheckedValues> {
    const values: Values = {};
    for (const { path, value } of cells) if (value !== absent) setAt(values, path, value);
    return { values, issues: await this.#check(values) };
  }
}

/** Gives the next value to each cell that the schema refuses. Returns whether there was one. */
function tryOthers(cells: readonly Cell[], issues: readonly ValuesIssue[]): boolean {
  let hasChanged = false;
  for (const cell of cells) {
    const { text, value } = cell;
    const issue = issues.find((each) => isAbout(each, cell));
    if (issue === undefined) continue;
    if (value === text) cell.refusal = issue.message;
    const { refusal = "" } = cell;
    // A value of the required type can be refused for another reason, such as its size.
    if (value !== text && requiresTypeOf(value, refusal)) continue;
    cell.others ??= otherReadings(text, refusal);
    const next = cell.others.length > 0 ? cell.others.shift() : text;
    hasChanged ||= next !== value;
    cell.value = next;
  }
  return hasChanged;
}

function isAbout({ path }: ValuesIssue, cell: Cell): boolean {
  if (isSame(path, cell.path)) return true;
  // Without its values, an object is missing.
  return cell.value === absent && path.length > 0 && isSame(path, cell.path.slice(0, path.length));
}

function explained(issue: ValuesIssue, cells: readonly Cell[]): ValuesIssue {
  const cell = cells.find(({ path, text, value }) => value === text && isSame(issue.path, path));
  return cell ? { ...issue, message: withAdvice(issue.message, cell.text) } : issue;
}

/** The validator shortens long names in its paths. */
function isSame(path: JsonPath, other: JsonPath): boolean {
  return (
    path.length === other.length &&
    path.every((key, index) => {
      const name = String(other[index]);
      return (
        key === name || (typeof key === "string" && key.endsWith("…") && name.startsWith(key.slice(0, -1)))
      );
    })
  );
}

/** Returns the path of a column's values. A dot separates nested names only if the schema has an object there. */
async function pathOf(column: string, columns: readonly string[], check: CheckValues): Promise<JsonPath> {
  const names = column.split(".");
  let depth = 0;
  while (depth + 1 < names.length && !names.includes("")) {
    const outer = names.slice(0, depth + 1);
    const accepts = async (value: unknown) => {
      const values: Values = {};
      setAt(values, outer, value);
      return !(await check(values)).some(({ path }) => isSame(path, outer));
    };
    try {
      const inner: Values = {};
      setAt(inner, names.slice(depth + 1), "");
      if (columns.includes(outer.join(".")) || (await accepts(""))) break;
      if (!(await accepts(inner))) {
        if (!(await accepts([])) && !(await accepts([inner]))) break;
        const place = `Column ${columns.indexOf(column) + 1} of the header`;
        throw new Misuse(`${place} leads into an array, which CSV cannot contain. Use NDJSON or JSON.`);
      }
    } catch (error) {
      if (isInstance(error, Misuse)) throw error;
      // A schema with its own functions may throw for values that it does not expect.
      break;
    }
    depth++;
  }
  return [...names.slice(0, depth), names.slice(depth).join(".")];
}

/** Sets a nested value, also if a name is `__proto__`. */
function setAt(values: Values, [name = "", ...rest]: JsonPath, value: unknown): void {
  const key = String(name);
  const own = Object.hasOwn(values, key) ? values[key] : undefined;
  const inner = rest.length > 0 && isJsonObject(own) ? own : {};
  if (rest.length > 0) setAt(inner, rest, value);
  const set = rest.length > 0 ? inner : value;
  if (key !== "__proto__") values[key] = set;
  else
    Object.defineProperty(values, key, { value: set, enumerable: true, writable: true, configurable: true });
}
