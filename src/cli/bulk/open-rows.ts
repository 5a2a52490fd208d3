import { untilAborted } from "../../runtime/until-aborted.ts";
import { areOf, countOf, printable } from "../output.ts";
import type { Session } from "../terminal.ts";
import { type RowSchema, readSchema } from "./data/check-rows.ts";
import { type Data, openData } from "./data/open-data.ts";
import type { BulkFlags, BulkPlan } from "./plan.ts";

/** The command-line options for the rows. */
export type RowFlags = Pick<BulkFlags, "schema" | "encoding" | "delimiter" | "trim">;

/** The rows for a command, and the schema that they are checked against. */
export interface OpenRows {
  readonly data: Data;
  readonly schema: RowSchema | undefined;
}

/**
 * Opens the data and reads the schema, calls `use`, and closes the data.
 *
 * @throws {Misuse} if the data or the schema is invalid
 */
export async function withRows(
  { uid, file, format }: Pick<BulkPlan, "uid" | "file" | "format">,
  { schema: schemaFile, encoding, delimiter, trim: trims }: RowFlags,
  { terminal, signal }: Session,
  use: (rows: OpenRows) => Promise<void>,
): Promise<void> {
  const { stdin } = terminal;
  const data = await openData({ file, format, encoding, delimiter, trims, stdin, signal });
  try {
    const options = { uid, columns: data.columns, stdin, signal };
    const reading = schemaFile === undefined ? undefined : readSchema(schemaFile, options);
    await use({ data, schema: reading && (await untilAborted(reading, signal)) });
  } finally {
    await data.close();
  }
}

/** Formats the last line of `--dry-run` if all rows are valid. */
export function dryRunLine({ name }: Data, good: number, limit: number): string {
  const rows = `${limit === Number.POSITIVE_INFINITY ? "" : "the first "}${countOf(good, "row")}`;
  return `${printable(`${name}: ${rows} ${areOf(good)} valid. Nothing was sent.`)}\n`;
}
