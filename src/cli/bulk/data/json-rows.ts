import { isUtf8 } from "node:buffer";
import { lineAndColumn } from "../../../json/json-text.ts";
import { placeOfBadByte } from "../../decode-utf8.ts";
import { type Element, ElementCutter, maxElementMiB, type Position } from "./element-cutter.ts";
import { type Encoding, notInEncoding, replacement } from "./encodings.ts";
import { readJsonRecord } from "./json-record.ts";
import type { RowOrProblem, RowProblem } from "./row.ts";

/** Reads a JSON array of objects, and holds one of them at a time. */
export async function* jsonRows(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<RowOrProblem, void, undefined> {
  const cutter = new ElementCutter();
  let number = 0;
  let last: RowOrProblem | undefined;
  for await (const chunk of chunks) {
    for (const element of cutter.push(chunk)) yield rowOf(element, ++number, encoding);
    if (cutter.fault) break;
  }
  if (!cutter.fault) {
    for (const element of cutter.end()) {
      last = rowOf(element, ++number, encoding);
      yield last;
    }
  }
  // Of an object that breaks off that was told already.
  if (cutter.fault && !(last && "problem" in last)) yield { problem: problemOf(cutter.fault) };
}

function rowOf(element: Element, number: number, encoding: Encoding): RowOrProblem {
  const { line, column, bytes, fault } = element;
  const problem = (at: Position, message: string) => ({
    problem: { ...problemOf({ ...at, message }), number },
  });
  if (fault !== undefined) return problem(element, fault);
  if (!bytes)
    return problem(element, `this is longer than ${maxElementMiB} MiB; a bracket or a comma may be missing`);
  const within = (at: Position): Position => ({
    line: line + at.line - 1,
    column: at.line === 1 ? column + at.column - 1 : at.column,
  });
  const bad = placeOfBad(bytes, encoding);
  if (bad) return problem(within(bad), notInEncoding(encoding.name));
  const record = readJsonRecord(bytes.toString());
  if ("values" in record) return { number, line, values: record.values };
  // It ended for a reader of this element.
  const hasEnded = record.fault === "the JSON has ended already";
  return problem(within(record), hasEnded ? "a comma should stand here" : record.fault);
}

/** Where in an element the first byte stands that is no text. */
function placeOfBad(bytes: Buffer, { startDecoding }: Encoding): Position | undefined {
  const lost = startDecoding ? bytes.indexOf(replacement) : -1;
  if (startDecoding ? lost === -1 : isUtf8(bytes)) return undefined;
  const place = startDecoding ? lineAndColumn(bytes.toString("utf8", 0, lost)) : placeOfBadByte(bytes);
  const [line, column] = place.split(":");
  return { line: Number(line), column: Number(column) };
}

function problemOf({ line, column, message }: Position & { readonly message: string }): RowProblem {
  return { line, column: String(column), message };
}
