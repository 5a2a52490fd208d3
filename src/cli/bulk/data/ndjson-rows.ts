import { placeOfBadByte } from "../../decode-utf8.ts";
import { type Line, LineCutter, maxLineMiB } from "../../line-cutter.ts";
import { type Encoding, notInEncoding, replacement } from "./encodings.ts";
import { readJsonRecord } from "./json-record.ts";
import type { RowOrProblem } from "./row.ts";

/** Reads NDJSON: an object on each line. */
export async function* ndjsonRows(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<RowOrProblem, void, undefined> {
  const lines = new LineCutter();
  let number = 1;
  for await (const chunk of chunks) {
    for (const line of lines.push(chunk)) {
      const row = rowOf(line, number, encoding);
      if (!row) continue;
      yield row;
      number += 1;
    }
  }
  for (const line of lines.end()) {
    const row = rowOf(line, number, encoding);
    if (row) yield row;
  }
}

function rowOf(
  { number: line, text, badBytes }: Line,
  number: number,
  encoding: Encoding,
): RowOrProblem | undefined {
  const problem = (column: number, message: string): RowOrProblem => ({
    problem: { line, column: String(column), message, number },
  });
  if (badBytes) return problem(Number(placeOfBadByte(badBytes).split(":")[1]), notInEncoding(encoding.name));
  if (text === undefined)
    return problem(1, `this line is longer than ${maxLineMiB} MiB; put one object on each line`);
  const lost = encoding.startDecoding ? text.indexOf(replacement) : -1;
  if (lost !== -1) return problem(lost + 1, notInEncoding(encoding.name));
  // Before it is parsed: to find out what is wrong with it takes much longer.
  if (text.trim() === "") return undefined;
  const record = readJsonRecord(text);
  if ("values" in record) return { number, line, values: record.values };
  // Where an object is written over several lines, or several stand on one.
  const advice = / closed|ended/.test(record.fault) ? ". Each line has to be an object of its own" : "";
  return problem(record.column, record.fault + advice);
}
