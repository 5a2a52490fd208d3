import { join } from "node:path";
import { UsedPaths } from "../../bulk/folder/document-paths.ts";
import { parsePattern } from "../../bulk/folder/placeholders.ts";
import { SaveError, ValuesError } from "../../index.ts";
import { nearestName } from "../../options/option-rules.ts";
import { Misuse } from "../failure.ts";
import { showLive } from "../live-line.ts";
import { countOf, formatCount, printable } from "../output.ts";
import type { Terminal } from "../terminal.ts";
import type { RowSchema } from "./data/check-rows.ts";
import { type Data, type Row, type RowProblem, rowsUpTo } from "./data/row.ts";
import type { BulkPlan } from "./plan.ts";
import { formatRowLocation, ordinalOf, problemText, unitOf } from "./row-location.ts";
import type { RunFiles } from "./run-files.ts";

/** How many problems are told one by one. */
const maxTold = 20;

/** How many columns are listed where a placeholder names none of them. */
const maxListed = 50;

/** How many placeholders are tried one by one: each try makes a whole path. */
const maxTried = 20;

/** What is wrong with one place of a row. */
type RowFault = Pick<RowProblem, "message" | "column">;

/** What the rows are checked by. */
interface Check {
  readonly data: Data;
  readonly plan: BulkPlan;
  readonly schema: RowSchema | undefined;
  /** Files that no document may take the place of. */
  readonly files: RunFiles;
}

/**
 * Reads all rows, and checks that a document can be asked for with each of them; says meanwhile how many there were.
 *
 * @returns how many there are
 * @throws {Misuse} telling what is wrong and where, without a value
 * @throws what reading the data throws
 */
export async function checkData(check: Check, { stderr, env }: Terminal): Promise<number> {
  const { data, plan } = check;
  checkColumns(data, plan);
  const checker = new RowChecker(check);
  let count = 0;
  const live = showLive(stderr, env, () => `checking ${data.name}: ${countOf(count, "row")}`);
  try {
    for await (const each of rowsUpTo(plan.limit, data)) {
      count++;
      if ("problem" in each) checker.refuse([problemText(each.problem, data)]);
      else await checker.check(each);
    }
  } finally {
    live.stop();
  }
  checker.throwIfWrong(count);
  return count;
}

/** A column that is not there is missing in every row: told once. */
function checkColumns({ name, columns }: Data, { out }: BulkPlan): void {
  if (columns === undefined) return;
  const known = new Set(columns);
  const missing = parsePattern(out).names.filter((placeholder) => !known.has(placeholder));
  if (missing.length === 0) return;
  const told = missing.slice(0, maxTold).map((placeholder) => {
    const nearest = columns.length === 0 ? undefined : nearestName(placeholder, columns);
    const hint =
      nearest === undefined
        ? `Its columns are ${listOf(columns)}.`
        : `Did you mean ${JSON.stringify(nearest)}?`;
    return printable(`--out names ${JSON.stringify(placeholder)}, and ${name} has no such column. ${hint}`);
  });
  const more = missing.length - told.length;
  if (more > 0) told.push(`${countOf(more, "more missing column")} ${more === 1 ? "is" : "are"} not shown.`);
  throw new Misuse(told.join("\n"));
}

function listOf(columns: readonly string[]): string {
  const listed = columns.slice(0, maxListed).map((column) => JSON.stringify(column));
  const more = columns.length - listed.length;
  return more === 0 ? listed.join(", ") : `${listed.join(", ")} and ${formatCount(more)} more`;
}

class RowChecker {
  readonly #check: Check;
  readonly #used = new UsedPaths(process.platform);
  readonly #told: string[] = [];
  #faultCount = 0;
  #badCount = 0;

  constructor(check: Check) {
    this.#check = check;
  }

  async check(row: Row): Promise<void> {
    const { schema, data } = this.#check;
    const issues = schema === undefined ? [] : await schema.check(row.values);
    const faults: RowFault[] = issues.map(({ path, message }) => ({ column: path.join("."), message }));
    const path = this.#pathOf(row, faults);
    if (path !== undefined) {
      const other = this.#used.claim(path, ordinalOf(row, data.format));
      if (other !== undefined) {
        faults.push({ message: `--out gives it the same path as ${unitOf(data.format)} ${other}` });
      }
    }
    if (faults.length === 0) return;
    const where = formatRowLocation(row, data);
    this.refuse(faults.map(({ column, message }) => `${where}: ${column ? `${column}: ` : ""}${message}`));
  }

  /** Notes a row that is wrong, and why. */
  refuse(problems: readonly string[]): void {
    this.#badCount++;
    this.#faultCount += problems.length;
    this.#told.push(...problems.slice(0, maxTold - this.#told.length).map(printable));
  }

  throwIfWrong(count: number): void {
    if (this.#badCount === 0) return;
    const more = this.#faultCount - this.#told.length;
    const untold =
      more === 0 ? "" : ` ${countOf(more, "more problem")} ${more === 1 ? "is" : "are"} not shown.`;
    const wrong = `${countOf(this.#badCount, "row")} ${this.#badCount === 1 ? "is" : "are"} wrong`;
    const good = `${countOf(count - this.#badCount, "row")} ${count - this.#badCount === 1 ? "is" : "are"} good`;
    throw new Misuse([...this.#told, `${wrong}, ${good}.${untold} Nothing was sent.`].join("\n"));
  }

  /** Gives the path of the row's document as the run will; adds what is wrong with it. */
  #pathOf({ values, number, line }: Row, faults: RowFault[]): string | undefined {
    const { plan, files } = this.#check;
    const { sink, template } = plan;
    try {
      const path = sink.keyOf({ template, values, number, line });
      const file = files.whatAt(join(sink.place, path));
      if (file === undefined) return path;
      faults.push({ message: `--out gives it the path of ${file}` });
    } catch (error) {
      faults.push(...pathFaults(error, values, plan));
    }
    return undefined;
  }
}

/**
 * Says what is wrong with each value of a row whose document has no path, without the value.
 *
 * @param error - what the sink has thrown for the path
 * @throws what is no fault of the row
 */
function pathFaults(
  error: unknown,
  values: Record<string, unknown>,
  { out, sink, template }: BulkPlan,
): RowFault[] {
  if (ValuesError.is(error)) {
    return error.issues.map(({ path, message }) => ({ column: path.join("."), message }));
  }
  if (!SaveError.is(error)) throw error;
  const { names } = parsePattern(out);
  const harmless = Object.fromEntries(names.map((name) => [name, "x"]));
  const faults: RowFault[] = [];
  for (const name of names.slice(0, maxTried)) {
    const text = parsePattern(`{{${name}}}`).fill(values, "");
    try {
      sink.keyOf({ template, values: { ...harmless, [name]: text }, number: 1, line: 1 });
    } catch (objection) {
      faults.push({ column: name, message: shortMessageOf(objection) });
    }
  }
  // Else it is all of them together.
  return faults.length > 0 ? faults : [{ message: shortMessageOf(error) }];
}

function shortMessageOf(error: unknown): string {
  return (error as Error).message.replace(/\. Nothing was sent for it\.$/, "");
}
