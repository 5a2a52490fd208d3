import { join } from "node:path";
import { UsedPaths } from "../../bulk/folder/document-paths.ts";
import { parsePattern } from "../../bulk/folder/placeholders.ts";
import { SaveError, ValuesError, type ValuesIssue } from "../../index.ts";
import { Misuse } from "../failure.ts";
import { showLive } from "../live-line.ts";
import { areOf, countOf, formatCount, printable } from "../output.ts";
import { quotedWord } from "../quoted-word.ts";
import type { Terminal } from "../terminal.ts";
import { checkColumns } from "./check-columns.ts";
import type { RowSchema } from "./data/check-rows.ts";
import {
  type Data,
  formatRowLocation,
  type OnBlankLine,
  ordinalOf,
  placeOfProblem,
  type Row,
  rowsUpTo,
  unitOf,
} from "./data/row.ts";
import { EmptyCells, fullNames, hasValue } from "./empty-cells.ts";
import type { BulkPlan } from "./plan.ts";
import type { RunFiles } from "./run-files.ts";

/** The maximum number of listed problems. */
const maxTold = 20;

const emptyRequired = "is empty or missing, but --required names it";

/** The maximum number of placeholders that are tested one by one, because each test builds a complete path. */
const maxTried = 20;

/** The data to check, and what the rows are checked against. */
export interface Check {
  readonly data: Data;
  /** `out` and `sink` are missing if the workers of a queue choose the paths. */
  readonly plan: Pick<BulkPlan, "limit" | "template" | "required"> & Partial<Pick<BulkPlan, "out" | "sink">>;
  readonly schema: RowSchema | undefined;
  /** Files that a document must not replace. */
  readonly files?: RunFiles;
}

/** A problem with a row. It never contains a value. */
interface RowFault {
  /** The affected property or column, if there is one. */
  readonly column: string | undefined;
  readonly message: string;
}

/** A row of the data and its problems. */
export interface CheckedRow {
  readonly line: number;
  readonly number: number | undefined;
  /** The location of the row, for messages. */
  readonly place: string;
  /** The row itself, if it has no problems. */
  readonly row?: Row;
  readonly faults: readonly RowFault[];
}

/** Reads the rows, and checks that a document can be generated from each of them. */
export async function* checkedRows(
  check: Check,
  onBlankLine?: OnBlankLine,
): AsyncGenerator<CheckedRow, void, undefined> {
  const { data, plan } = check;
  const used = new UsedPaths(process.platform);
  for await (const each of rowsUpTo(plan.limit, data, onBlankLine)) {
    if ("problem" in each) {
      const { line, number, column, message } = each.problem;
      const place = placeOfProblem(each.problem, data);
      const isCell = data.format === "csv";
      yield { line, number, place, faults: [{ column: isCell ? column : undefined, message }] };
    } else {
      const { line, number } = each;
      const place = formatRowLocation(each, data);
      const { values, issues } = (await check.schema?.read(each.values)) ?? {
        values: each.values,
        issues: [],
      };
      const row = { line, number, values };
      const faults = [...issues.map(faultOf), ...pathFaults(row, check, used)];
      const full = plan.required.length > 0 ? fullNames(values) : new Set<string>();
      for (const column of plan.required) {
        const isTold = faults.some((fault) => fault.column === column);
        if (!isTold && !hasValue(full, column)) faults.push({ column, message: emptyRequired });
      }
      yield { line, number, place, faults, ...(faults.length === 0 && { row }) };
    }
  }
}

/** The rows that were checked. */
export interface RowCounts {
  readonly good: number;
  readonly invalid: number;
  /** The names of columns that are empty in some rows, but not in most. */
  readonly emptyColumns: readonly string[];
}

/** How the rows are used after the check. */
export interface CheckUse {
  readonly isDryRun: boolean;
  /** Whether invalid rows are only listed, provided that there are valid rows. Not with `isDryRun`. */
  readonly skipsInvalid: boolean;
}

/**
 * Reads all rows, and checks that a document can be generated from each of them.
 *
 * @throws {Misuse} with the problems and their locations, but without values
 */
export async function checkData(
  check: Check,
  { stdout, stderr, env }: Terminal,
  { isDryRun, skipsInvalid }: CheckUse,
): Promise<RowCounts> {
  const { data, plan } = check;
  checkColumns(data, "--out", plan.out === undefined ? [] : parsePattern(plan.out).names);
  checkColumns(data, "--required", plan.required);
  const told: string[] = [];
  let faultCount = 0;
  let badCount = 0;
  let count = 0;
  let blankCount = 0;
  const empty = new EmptyCells();
  const live = showLive(stderr, env, () => `checking ${data.name}: ${countOf(count, "row")}`);
  try {
    for await (const { place, line, number, row, faults } of checkedRows(check, () => blankCount++)) {
      count++;
      if (row) empty.add(row.values, ordinalOf({ line, number }, data.format));
      if (faults.length === 0) continue;
      badCount++;
      faultCount += faults.length;
      const texts = faults.slice(0, maxTold - told.length).map((fault) => `${place}: ${textOfFault(fault)}`);
      told.push(...texts.map(printable));
    }
    const good = count - badCount;
    if (badCount > 0) {
      const more = faultCount - told.length;
      const untold = more === 0 ? "" : ` ${countOf(more, "more problem")} ${areOf(more)} not shown.`;
      const isSkipped = skipsInvalid && !isDryRun && good > 0;
      const invalid = `${countOf(badCount, "row")} ${areOf(badCount)} invalid${isSkipped ? " and skipped" : ""}`;
      told.push(`${invalid}, ${countOf(good, "row")} ${areOf(good)} valid.${untold}`);
      if (!isSkipped) throw new Misuse(`${told.join("\n")} Nothing was sent.`);
    }
    const notes = notesOf(data, blankCount, empty);
    for (const line of isDryRun ? told : [...told, ...notes]) live.say(line);
    if (isDryRun) for (const note of notes) stdout.write(`${printable(note)}\n`);
    return { good, invalid: badCount, emptyColumns: empty.columns.map(({ name }) => name) };
  } finally {
    live.stop();
  }
}

/** Returns what the user may want to know about valid rows. */
function notesOf({ name, format }: Data, blankCount: number, empty: EmptyCells): string[] {
  const notes =
    blankCount === 0 ? [] : [`${name}: ${countOf(blankCount, "blank line")} ${areOf(blankCount)} skipped.`];
  const { columns, rowCount } = empty;
  for (const column of columns.slice(0, maxTold)) {
    const { emptyCount, ordinals } = column;
    const more = emptyCount > ordinals.length ? ", …" : "";
    const rows = `${unitOf(format)}${emptyCount === 1 ? "" : "s"} ${ordinals.map(formatCount).join(", ")}${more}`;
    const share = `${formatCount(emptyCount)} of ${countOf(rowCount, "row")}`;
    notes.push(`${name}: ${JSON.stringify(column.name)} is empty in ${share} (${rows}).`);
  }
  const more = columns.length - maxTold;
  if (more > 0) notes.push(`${countOf(more, "more column")} with empty cells ${areOf(more)} not shown.`);
  const names = columns.slice(0, maxTold).map((column) => column.name);
  // A comma separates the names of the option.
  const named = names.filter((column) => !column.includes(","));
  if (named.length > 0)
    notes.push(`To refuse such rows, add --required ${quotedWord(named.join(","), process.platform)}.`);
  return notes;
}

/** Formats a problem, for example `total: must be a number`. */
export function textOfFault({ column, message }: RowFault): string {
  return column ? `${column}: ${message}` : message;
}

/** Returns a row with the values from which its document is generated: as the schema reads them, if the data is CSV. */
export async function typedRow(row: Row, { data, schema }: Check): Promise<Row> {
  return schema && data.format === "csv" ? { ...row, values: (await schema.read(row.values)).values } : row;
}

function faultOf({ path, message }: ValuesIssue): RowFault {
  return { column: path.length === 0 ? undefined : path.join("."), message };
}

function ofRow(message: string): RowFault {
  return { column: undefined, message };
}

/** Claims the path of a row's document, as the run will. Returns the problems if that is not possible, without values. */
function pathFaults(row: Row, { plan, data, files }: Check, used: UsedPaths): RowFault[] {
  const { sink, template, out } = plan;
  if (sink === undefined || out === undefined) return [];
  const pathOf = (values: Row["values"]) => sink.keyOf({ ...row, template, values });
  try {
    const path = pathOf(row.values);
    const file = files?.whatAt(join(sink.place, path));
    if (file !== undefined) return [ofRow(`--out resolves to the path of ${file}`)];
    const other = used.claim(path, ordinalOf(row, data.format));
    if (other === undefined) return [];
    return [ofRow(`--out resolves to the same path as ${unitOf(data.format)} ${other}`)];
  } catch (error) {
    if (ValuesError.is(error)) return error.issues.map(faultOf);
    if (!SaveError.is(error)) throw error;
    const columns = columnFaults(out, row.values, pathOf);
    // If no single column is at fault, the combination of values is invalid.
    return columns.length > 0 ? columns : [ofRow(refusalIn(error))];
  }
}

/** Finds the values that make the path invalid, by testing each with harmless values for the others. */
function columnFaults(
  out: string,
  values: Row["values"],
  pathOf: (values: Row["values"]) => string,
): RowFault[] {
  const { names } = parsePattern(out);
  const harmless = Object.fromEntries(names.map((name) => [name, "x"]));
  const faults: RowFault[] = [];
  for (const name of names.slice(0, maxTried)) {
    try {
      pathOf({ ...harmless, [name]: parsePattern(`{{${name}}}`).fill(values, "") });
    } catch (error) {
      faults.push({ column: name, message: refusalIn(error) });
    }
  }
  return faults;
}

function refusalIn(error: unknown): string {
  return (error as Error).message.replace(/\. No request was sent for this document\.$/, "");
}
