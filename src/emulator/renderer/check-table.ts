import type { JsonPath } from "../../json/json-value.ts";
import type { DefinitionMistake } from "./check-definition.ts";

/** Finds why pdfmake (0.3.11) could not lay out a table, or would leave out cells. */
export function checkTable(
  table: Readonly<Record<string, unknown>>,
  path: JsonPath,
): readonly DefinitionMistake[] {
  const { body, widths, headerRows } = table;
  const at = (...keys: JsonPath) => [...path, ...keys];
  if (!Array.isArray(body)) return [{ path: at("body"), message: "must be an array of rows." }];
  const notRow = body.findIndex((row) => !Array.isArray(row));
  if (notRow !== -1) {
    return [
      { path: at("body", notRow), message: "must be a row, which is an array of cells. Wrap it in [ ]." },
    ];
  }
  const rows = body as readonly (readonly unknown[])[];
  const columns = rows[0]?.length ?? 0;
  if (columns === 0)
    return [{ path: at("body"), message: "must have a row with a cell. Leave out an empty table." }];
  const found = [...checkRows(rows, columns, at("body"))];
  if (Array.isArray(widths) && widths.length !== columns) {
    found.push({
      path: at("widths"),
      message: `has ${count(widths.length, "entry", "entries")} for ${count(columns, "column")}. Write one for each column.`,
    });
  } else if (Array.isArray(widths)) {
    for (const [index, width] of widths.entries()) {
      if (isWidth(width)) continue;
      found.push({
        path: at("widths", index),
        message: widthRule,
      });
    }
  }
  if (typeof headerRows === "number" && headerRows > rows.length) {
    found.push({
      path: at("headerRows"),
      message: `is ${headerRows}, but the table has ${count(rows.length, "row")}.`,
    });
  }
  return found;
}

/** Goes through the cells in the order of pdfmake. Ends at the first mistake, because the others depend on it. */
function* checkRows(
  rows: readonly (readonly unknown[])[],
  columns: number,
  path: JsonPath,
): Iterable<DefinitionMistake> {
  const long = rows.findIndex((row) => row.length > columns);
  if (long !== -1) {
    yield { path: [...path, long], message: wrongLength(rows[long]?.length ?? 0, columns) };
    return;
  }
  /** The cells that a cell to the left or above covers. */
  const covered = new Set<number>();
  for (let column = 0; column < columns; column += 1) {
    for (const [index, row] of rows.entries()) {
      const cell = row[column];
      const at = [...path, index, column];
      if (covered.has(index * columns + column)) {
        if (isEmpty(cell)) continue;
        yield {
          path: at,
          message: "is covered by a cell that spans several rows or columns. Leave it empty.",
        };
        return;
      }
      if (cell === undefined) {
        yield { path: [...path, index], message: wrongLength(row.length, columns) };
        return;
      }
      const [right, down] = [spanOf(cell, "colSpan"), spanOf(cell, "rowSpan")];
      if (column + right > columns) {
        const message = `is ${right}, but the table has ${count(columns - column, "column")} from here.`;
        yield { path: [...at, "colSpan"], message: `${message} The first row determines the columns.` };
        return;
      }
      if (index + down > rows.length) {
        const message = `is ${down}, but the table has ${count(rows.length - index, "row")} from here.`;
        yield { path: [...at, "rowSpan"], message };
        return;
      }
      for (let below = 0; below < down; below += 1) {
        for (let beside = 0; beside < right; beside += 1)
          covered.add((index + below) * columns + column + beside);
      }
    }
  }
}

function wrongLength(cells: number, columns: number): string {
  return `has ${count(cells, "cell")}, but the first row has ${columns}. Every row needs a cell for each column; write "" for one that is empty or covered.`;
}

function spanOf(cell: unknown, name: "colSpan" | "rowSpan"): number {
  const span = (cell as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof span === "number" && span > 1 ? span : 1;
}

function isEmpty(cell: unknown): boolean {
  if (typeof cell !== "object" || cell === null) return cell === undefined || cell === null || cell === "";
  const { text } = cell as { readonly text?: unknown };
  return Object.keys(cell).every((name) => name !== "text" || text === "");
}

/** What `isWidth` accepts, as a message. */
export const widthRule = 'must be a number of points, a percentage such as "25%", "auto" or "*".';

export function isWidth(width: unknown): boolean {
  if (typeof width === "string") return /^(?:\*|auto|star|\d+(?:\.\d+)?%?)$/.test(width);
  return typeof width === "number" || (typeof width === "object" && width !== null);
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}
