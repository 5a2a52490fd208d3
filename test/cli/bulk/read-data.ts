import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { type DataOptions, openData, type RowOrProblem } from "../../../src/cli/bulk/data/open-data.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";

/** Writes a file into a new folder, and returns its path. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const folder = makeTemporaryFolder("data");
  onTestFinished(folder.remove);
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

/** Opens data, which is closed after the test. */
export async function open(file: string, options: Partial<DataOptions> = {}) {
  const { signal } = new AbortController();
  const data = await openData({ file, stdin: Readable.from([]), signal, ...options });
  onTestFinished(() => data.close());
  return data;
}

/** Reads all rows and problems. */
export async function readAll(rows: AsyncIterable<RowOrProblem>): Promise<RowOrProblem[]> {
  const read: RowOrProblem[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

/** Reads a file with that name and content. */
export async function readFileOf(name: string, content: string | Uint8Array, options?: Partial<DataOptions>) {
  return readAll((await open(fileOf(name, content), options)).rows());
}

/** Returns the values of the rows. Throws if one has a problem. */
export function valuesOf(rows: readonly RowOrProblem[]): Record<string, unknown>[] {
  return rows.map((row) => {
    if ("problem" in row) throw new Error(`line ${row.problem.line}: ${row.problem.message}`);
    return row.values;
  });
}

/** Returns the problems, each as `<line>:<column>: <message>`. */
export function problemsOf(rows: readonly RowOrProblem[]): string[] {
  return rows.flatMap((row) =>
    "problem" in row ? [`${row.problem.line}:${row.problem.column ?? ""}: ${row.problem.message}`] : [],
  );
}
