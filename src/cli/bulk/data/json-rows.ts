import { describeKind } from "../../../errors/value-kinds.ts";
import {
  afterComma,
  type JsonSyntaxError,
  parseJson,
  syntaxErrors,
  type TextPosition,
} from "../../../json/json-text.ts";
import { isDeeperThan, isJsonObject, maxNesting, tooDeep } from "../../../json/json-value.ts";
import { badCharacter, notInEncoding } from "./encodings.ts";
import { type Found, maxRecordMiB, type ReadRecord, readLine, readRecords } from "./read-records.ts";
import type { OnBlankLine, RowOrProblem, RowProblem } from "./row.ts";

/** Reads NDJSON: an object on each line. */
export async function* ndjsonRows(
  chunks: AsyncIterable<string>,
  encoding: string,
  onBlankLine: OnBlankLine = () => {},
): AsyncGenerator<RowOrProblem, void, undefined> {
  let line = 0;
  let number = 1;
  for await (const texts of readRecords<string | undefined>(chunks, readLine, () => undefined)) {
    for (const text of texts) {
      line += 1;
      const start = { line, column: 1 };
      if (text === undefined) {
        const message = `this line is longer than ${maxRecordMiB} MiB; put one object on each line`;
        yield { problem: problemAt(start, message, number) };
      } else if (text.trim() === "") {
        onBlankLine();
      } else {
        yield rowOf(text, start, number, encoding, adviceForLine);
        number += 1;
      }
    }
  }
}

/** Errors that occur if an object spans several lines, or if a line contains several objects. */
const faultsOfLines: readonly string[] = [
  syntaxErrors.CloseBraceExpected,
  syntaxErrors.CloseBracketExpected,
  syntaxErrors.UnexpectedEndOfString,
  syntaxErrors.EndOfFileExpected,
];

function adviceForLine(fault: string): string {
  return faultsOfLines.includes(fault) ? `${fault}. Each line must be one complete object` : fault;
}

/** Reads a JSON array of objects. */
export async function* jsonRows(
  chunks: AsyncIterable<string>,
  encoding: string,
): AsyncGenerator<RowOrProblem, void, undefined> {
  let number = 0;
  let position: TextPosition = { line: 1, column: 1 };
  let ending: Element["ending"] = "";
  for await (const elements of readRecords<Element | undefined>(chunks, elementReader(), () => undefined)) {
    for (const element of elements) {
      if (!element) {
        const message = `this element is longer than ${maxRecordMiB} MiB; a bracket or a comma may be missing`;
        yield { problem: problemAt(position, message, number + 1) };
        return;
      }
      const text = element.text.trimStart();
      const start = positionAfter(position, element.text.slice(0, element.text.length - text.length));
      position = positionAfter(start, text + element.ending);
      if (ending === "]") {
        if (text + element.ending === "") continue;
        yield { problem: problemAt(start, syntaxErrors.EndOfFileExpected) };
        return;
      }
      const isAfterComma = ending === ",";
      ending = element.ending;
      if (text !== "") {
        const row = rowOf(text, start, ++number, encoding, adviceForElement);
        yield row;
        // The problem of an incomplete object was already reported.
        if ("problem" in row && ending === "") return;
      } else if (ending === ",") {
        yield { problem: problemAt(start, syntaxErrors.ValueExpected, ++number) };
      } else if (ending === "]" && isAfterComma) {
        yield { problem: problemAt(start, afterComma, ++number) };
      }
    }
  }
  if (ending !== "]") yield { problem: problemAt(position, syntaxErrors.CloseBracketExpected) };
}

/** The parser of a single element expects the end of the JSON where the array needs a comma. */
function adviceForElement(fault: string): string {
  return fault === syntaxErrors.EndOfFileExpected ? syntaxErrors.CommaExpected : fault;
}

/** Text before, in or after a JSON array, up to the character that ends it. */
interface Element {
  readonly text: string;
  /** The bracket or comma after the text; empty at the end of the file. */
  readonly ending: "[" | "," | "]" | "";
}

/** Returns a function that splits a JSON array into its elements without parsing them. */
function elementReader(): ReadRecord<Element> {
  let isWithin = false;
  return (text, start, isLast) => {
    if (isWithin) {
      const element = elementAt(text, start, isLast);
      isWithin = element?.record.ending !== "]";
      return element;
    }
    const open = text.indexOf("[", start);
    if (open === -1) return { record: { text: text.slice(start), ending: "" }, end: text.length };
    isWithin = true;
    return { record: { text: text.slice(start, open), ending: "[" }, end: open + 1 };
  };
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Finds the element that begins at an index. Returns `undefined` if the text does not contain its end yet. */
function elementAt(text: string, start: number, isLast: boolean): Found<Element> | undefined {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = endOfString(text, index);
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
    } else if (depth > 0) {
      if (code === closeBrace || code === closeBracket) depth -= 1;
    } else if (code === comma || code === closeBracket) {
      const ending = code === comma ? "," : "]";
      return { record: { text: text.slice(start, index), ending }, end: index + 1 };
    }
  }
  return isLast ? { record: { text: text.slice(start), ending: "" }, end: text.length } : undefined;
}

/** Returns the index at which a string ends. An unclosed string ends with its line, so that the elements after it can be read. */
function endOfString(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === backslash) index += 1;
    else if (code === quote || code === 0x0a) return index;
  }
  return text.length;
}

/** Reads one object: the values of a document. */
function rowOf(
  text: string,
  start: TextPosition,
  number: number,
  encoding: string,
  adviceFor: (fault: string) => string,
): RowOrProblem {
  const problem = (position: TextPosition, message: string): RowOrProblem => ({
    problem: problemAt(position, message, number),
  });
  const bad = text.indexOf(badCharacter);
  if (bad !== -1) return problem(positionAfter(start, text.slice(0, bad)), notInEncoding(encoding));
  let values: unknown;
  try {
    values = parseJson(text, "");
  } catch (error) {
    const { position, reason } = error as JsonSyntaxError;
    return problem(positionIn(start, position), adviceFor(reason));
  }
  // Each level takes at least two characters.
  const isTooDeep = text.length > 2 * maxNesting && isDeeperThan(values, maxNesting);
  if (isJsonObject(values) && !isTooDeep) return { number, line: start.line, values };
  const first = positionAfter(start, text.slice(0, text.length - text.trimStart().length));
  const advice = "use an object with a property for each placeholder";
  return problem(first, isTooDeep ? `this ${tooDeep}` : `this is ${describeKind(values)}; ${advice}`);
}

function problemAt(position: TextPosition, message: string, number?: number): RowProblem {
  const { line, column } = position;
  return { line, column: String(column), message, ...(number === undefined ? {} : { number }) };
}

/** Returns the position after a text that begins at `start`. */
function positionAfter(start: TextPosition, text: string): TextPosition {
  const column = text.length - text.lastIndexOf("\n");
  return positionIn(start, { line: text.split("\n").length, column });
}

/** Converts a position in a text that begins at `start` to a position in the file. */
function positionIn(start: TextPosition, { line, column }: TextPosition): TextPosition {
  return {
    line: start.line + line - 1,
    column: line === 1 ? start.column + column - 1 : column,
  };
}
