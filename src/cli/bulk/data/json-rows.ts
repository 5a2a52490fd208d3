import { afterComma, parseJson, syntaxFaults } from "../../../json/json-text.ts";
import { isDeeperThan, isJsonObject, maxNesting } from "../../../json/json-value.ts";
import { describeKind } from "../../../request/values.ts";
import { badCharacter, notInEncoding } from "./encodings.ts";
import { type Element, ElementReader } from "./json-elements.ts";
import { maxRecordMiB, readLine, readRecords } from "./read-records.ts";
import type { RowOrProblem, RowProblem } from "./row.ts";

/** A position in a text, both counted from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Reads NDJSON: an object on each line.
 *
 * @param encoding - its name, for messages
 */
export async function* ndjsonRows(
  chunks: AsyncIterable<string>,
  encoding: string,
): AsyncGenerator<RowOrProblem, void, undefined> {
  let line = 0;
  let number = 1;
  for await (const texts of readRecords<string | undefined>(chunks, readLine, undefined)) {
    for (const text of texts) {
      line += 1;
      const start = { line, column: 1 };
      if (text === undefined) {
        const message = `this line is longer than ${maxRecordMiB} MiB; put one object on each line`;
        yield { problem: problemAt(start, message, number) };
      } else if (text.trim() !== "") {
        yield rowOf(text, start, number, encoding, adviceForLine);
        number += 1;
      }
    }
  }
}

/** An object may be written over several lines, or several may stand on one. */
const faultsOfLines: readonly string[] = [
  syntaxFaults.CloseBraceExpected,
  syntaxFaults.CloseBracketExpected,
  syntaxFaults.UnexpectedEndOfString,
  syntaxFaults.EndOfFileExpected,
];

function adviceForLine(fault: string): string {
  return faultsOfLines.includes(fault) ? `${fault}. Each line has to be an object of its own` : fault;
}

/**
 * Reads a JSON array of objects.
 *
 * @param encoding - its name, for messages
 */
export async function* jsonRows(
  chunks: AsyncIterable<string>,
  encoding: string,
): AsyncGenerator<RowOrProblem, void, undefined> {
  const reader = new ElementReader();
  const read = (text: string, start: number, isLast: boolean) => reader.read(text, start, isLast);
  let number = 0;
  let position: Position = { line: 1, column: 1 };
  let ending = "";
  for await (const elements of readRecords<Element | undefined>(chunks, read, undefined)) {
    for (const element of elements) {
      if (!element) {
        const message = `this is longer than ${maxRecordMiB} MiB; a bracket or a comma may be missing`;
        yield { problem: problemAt(position, message, number + 1) };
        return;
      }
      const text = element.text.trimStart();
      const start = positionAfter(position, element.text.slice(0, element.text.length - text.length));
      position = positionAfter(start, text + element.ending);
      if (ending === "]" && text !== "") {
        yield { problem: problemAt(start, syntaxFaults.EndOfFileExpected) };
        return;
      }
      if (ending === "]") continue;
      const before = ending;
      ending = element.ending;
      if (ending === "[") continue;
      if (text !== "") {
        const row = rowOf(text, start, ++number, encoding, adviceForElement);
        yield row;
        // The problem of an object that breaks off was reported.
        if ("problem" in row && ending === "") return;
      } else if (ending === ",") {
        yield { problem: problemAt(start, syntaxFaults.ValueExpected, ++number) };
      } else if (ending === "]" && before === ",") {
        yield { problem: problemAt(start, afterComma, ++number) };
      }
    }
  }
  if (ending !== "]") yield { problem: problemAt(position, syntaxFaults.CloseBracketExpected) };
}

/** It ended for a reader of this element alone. */
function adviceForElement(fault: string): string {
  return fault === syntaxFaults.EndOfFileExpected ? syntaxFaults.CommaExpected : fault;
}

/** Reads one object: the values of a document. */
function rowOf(
  text: string,
  start: Position,
  number: number,
  encoding: string,
  adviceFor: (fault: string) => string,
): RowOrProblem {
  const problem = (offset: number, message: string): RowOrProblem => ({
    problem: problemAt(positionAfter(start, text.slice(0, offset)), message, number),
  });
  const bad = text.indexOf(badCharacter);
  if (bad !== -1) return problem(bad, notInEncoding(encoding));
  let values: unknown;
  try {
    values = parseJson(text, "");
  } catch (error) {
    const [, line, column, fault = "this is no JSON"] =
      /^:(\d+):(\d+): (.*)$/s.exec((error as Error).message) ?? [];
    const at = positionIn(start, { line: Number(line), column: Number(column) });
    return { problem: problemAt(at, adviceFor(fault), number) };
  }
  const first = text.length - text.trimStart().length;
  if (!isJsonObject(values)) {
    return problem(
      first,
      `this is ${describeKind(values)}; make it an object, a member for each placeholder`,
    );
  }
  // A level takes two characters at least.
  if (text.length > 2 * maxNesting && isDeeperThan(values, maxNesting)) {
    return problem(first, `this is nested deeper than ${maxNesting} levels`);
  }
  return { number, line: start.line, values };
}

function problemAt({ line, column }: Position, message: string, number?: number): RowProblem {
  return { line, column: String(column), message, ...(number === undefined ? {} : { number }) };
}

/** Where the text goes on that begins at a position. */
function positionAfter(start: Position, text: string): Position {
  const lastLine = text.lastIndexOf("\n") + 1;
  const column = text.length - lastLine + 1;
  return positionIn(start, { line: text.split("\n").length, column });
}

/** The position in the file of a position in a text that begins at `start`. */
function positionIn(start: Position, { line, column }: Position): Position {
  return {
    line: start.line + line - 1,
    column: line === 1 ? start.column + column - 1 : column,
  };
}
