import { join } from "node:path";
import { UsedPaths } from "../../bulk/folder/document-paths.ts";
import { parsePattern } from "../../bulk/folder/placeholders.ts";
import { SaveError, ValuesError, type ValuesIssue } from "../../index.ts";
import { Misuse } from "../failure.ts";
import { showLive } from "../live-line.ts";
import { nearestName } from "../nearest-name.ts";
import { areOf, countOf, formatCount, printable } from "../output.ts";
import type { Terminal } from "../terminal.ts";
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
import type { BulkPlan } from "./plan.ts";
import type { RunFiles } from "./run-files.ts";

/** The maximum number of listed problems. */
const maxTold = 20;

/** The maximum number of listed columns if a placeholder matches no column. */
const maxListed = 50;

/** The maximum number of placeholders that are tested one by one, because each test builds a complete path. */
const maxTried = 20;

/** The data to check, and what the rows are checked against. */
export interface Check {
  readonly data: Data;
  /** `out` and `sink` are missing if the workers of a queue choose the paths. */
  readonly plan: Pick<BulkPlan, "limit" | "template"> & Partial<Pick<BulkPlan, "out" | "sink">>;
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
      yield { line, number, place, faults, ...(faults.length === 0 && { row }) };
    }
  }
}

/** The counts of rows that were checked. */
export interface RowCounts {
  readonly good: number;
  readonly invalid: number;
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
  checkColumns(data, plan);
  const told: string[] = [];
  let faultCount = 0;
  let badCount = 0;
  let count = 0;
  let blankCount = 0;
  const live = showLive(stderr, env, () => `checking ${data.name}: ${countOf(count, "row")}`);
  try {
    for await (const { place, faults } of checkedRows(check, () => blankCount++)) {
      count++;
      if (faults.length === 0) continue;
      badCount++;
      faultCount += faults.length;
      const texts = faults.slice(0, maxTold - told.length).map((fault) => `${place}: ${textOfFault(fault)}`);
      told.push(...texts.map(printable));
    }
  } finally {
    live.stop();
  }
  const counts = { good: count - badCount, invalid: badCount };
  const tellNotes = () => {
    const output = isDryRun ? stdout : stderr;
    for (const note of notesOf(data, blankCount)) output.write(`${printable(note)}\n`);
  };
  if (badCount === 0) {
    tellNotes();
    return counts;
  }
  const more = faultCount - told.length;
  const untold = more === 0 ? "" : ` ${countOf(more, "more problem")} ${areOf(more)} not shown.`;
  const wrong = `${countOf(badCount, "row")} ${areOf(badCount)} invalid`;
  const good = `${countOf(count - badCount, "row")} ${areOf(count - badCount)} valid`;
  if (isDryRun || !skipsInvalid || counts.good === 0) {
    throw new Misuse([...told, `${wrong}, ${good}.${untold} Nothing was sent.`].join("\n"));
  }
  stderr.write([...told, `${wrong} and skipped, ${good}.${untold}`, ""].join("\n"));
  tellNotes();
  return counts;
}

/** Returns what the user may want to know about valid data. */
function notesOf({ name }: Data, blankCount: number): string[] {
  if (blankCount === 0) return [];
  return [`${name}: ${countOf(blankCount, "blank line")} ${areOf(blankCount)} skipped.`];
}

/** Formats a problem, for example `total: must be a number`. */
export function textOfFault({ column, message }: RowFault): string {
  return column ? `${column}: ${message}` : message;
}

/** Reports a missing column once instead of for every row. */
function checkColumns({ name, columns }: Data, { out }: Check["plan"]): void {
  if (columns === undefined || out === undefined) return;
  const known = new Set(columns);
  const missing = parsePattern(out).names.filter((placeholder) => !known.has(placeholder));
  if (missing.length === 0) return;
  const told = missing.slice(0, maxTold).map((placeholder) => {
    const nearest = columns.length === 0 ? undefined : nearestName(placeholder, columns);
    const hint =
      nearest === undefined
        ? `Its columns are ${listOf(columns)}.`
        : `Did you mean ${JSON.stringify(nearest)}?`;
    return printable(`--out uses ${JSON.stringify(placeholder)}, but ${name} has no such column. ${hint}`);
  });
  const more = missing.length - told.length;
  if (more > 0) told.push(`${countOf(more, "more missing column")} ${areOf(more)} not shown.`);
  throw new Misuse(told.join("\n"));
}

function listOf(columns: readonly string[]): string {
  const listed = columns.slice(0, maxListed).map((column) => JSON.stringify(column));
  const more = columns.length - listed.length;
  return more === 0 ? listed.join(", ") : `${listed.join(", ")} and ${formatCount(more)} more`;
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
