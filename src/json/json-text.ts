import {
  createScanner,
  findNodeAtLocation,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { JsonPath } from "./json-value.ts";

/** The messages for the syntax errors from the JSON parser. */
export const syntaxErrors = {
  InvalidSymbol: "this is not JSON; only numbers, true, false and null can be outside double quotes",
  InvalidNumberFormat: "this is not a JSON number",
  PropertyNameExpected: "expected a property name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected } at the end of an object",
  CloseBracketExpected: "expected ] at the end of an array",
  EndOfFileExpected: "expected the end of the JSON",
  InvalidCommentToken: "comments are not allowed in JSON",
  UnexpectedEndOfComment: "comments are not allowed in JSON",
  UnexpectedEndOfString: "this string is not closed before the end of the line",
  UnexpectedEndOfNumber: "this number is incomplete",
  InvalidUnicode: "this string contains \\u without four hexadecimal digits",
  InvalidEscapeCharacter: "this string contains an escape that is not allowed in JSON",
  InvalidCharacter: "this string contains a control character, such as a tab, that must be escaped",
  TooDeep: "this is not JSON, and it is nested too deeply for the mistake to be located",
} as const;

/** The message for a trailing comma. */
export const afterComma = "unexpected comma before this";

/** A position in a text: the line and the column, both counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A mistake in a JSON text. The message is `<name>:<line>:<column>: <reason>`. */
export class JsonSyntaxError extends SyntaxError {
  readonly position: TextPosition;
  readonly reason: string;

  constructor(name: string, position: TextPosition, reason: string) {
    super(`${name}:${position.line}:${position.column}: ${reason}`);
    this.position = position;
    this.reason = reason;
  }
}

/**
 * Parses a JSON text that a user wrote.
 *
 * Rejects what JavaScript would silently change: a number with too many digits, for example a bank account number, a number that
 * is too large or too small, for example `1e400`, and a name that an object has twice, because only the last value would remain.
 *
 * @param text - the text; a byte order mark at its start is ignored
 * @param name - the name of the text in error messages, for example the path of its file
 * @returns the value
 * @throws {JsonSyntaxError} with the position and the reason, which does not quote the text
 */
export function parseJson(text: string, name: string): unknown {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The engine's message may quote the text, does not always contain the position, and differs between versions.
    throw syntaxErrorIn(json, name);
  }
  const changed = firstChangeIn(json);
  if (changed === undefined) return value;
  throw new JsonSyntaxError(name, positionAtEndOf(json.slice(0, changed.offset)), changed.why);
}

/** Finds the first number or object in valid JSON that JavaScript would change. */
function firstChangeIn(json: string): { readonly offset: number; readonly why: string } | undefined {
  const scanner = createScanner(json, true);
  /** The names so far of each object around the current token; `undefined` for an array. */
  const containers: (Set<string> | undefined)[] = [];
  let before = "";
  for (;;) {
    scanner.scan();
    if (scanner.getTokenLength() === 0) return undefined;
    const offset = scanner.getTokenOffset();
    const first = json.charAt(offset);
    if (first === '"') {
      const names = before === "{" || before === "," ? containers.at(-1) : undefined;
      const name = scanner.getTokenValue();
      if (names?.has(name)) {
        return { offset, why: "this object already has a property with this name; remove one of them" };
      }
      names?.add(name);
    } else if (first === "{") {
      containers.push(new Set());
    } else if (first === "[") {
      containers.push(undefined);
    } else if (first === "}" || first === "]") {
      containers.pop();
    } else {
      const why = describeNumberChange(scanner.getTokenValue());
      if (why !== undefined)
        return { offset, why: `this number ${why}; write it as a string in double quotes` };
    }
    before = first;
  }
}

/** Describes how JavaScript would change a number in JSON. Ignores decimal places, because few of them are represented exactly. */
export function describeNumberChange(token: string): string | undefined {
  const [, whole = "", fraction = "", exponent] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  if (whole === "") return undefined;
  const number = Math.abs(Number(token));
  if (number === Number.POSITIVE_INFINITY) return "is too large";
  if (number === 0) return /[1-9]/.test(whole + fraction) ? "is too small" : undefined;
  // The number has 309 digits at most here, so BigInt is fast.
  const isExact =
    exponent !== undefined || String(number) === whole || BigInt(Math.trunc(number)) === BigInt(whole);
  return isExact ? undefined : "has more digits than JavaScript can store";
}

/**
 * Finds the position of a value in a JSON text.
 *
 * @param text - valid JSON; a byte order mark at its start is ignored
 * @param path - the path to the value
 * @returns the line and the column, both counted from 1, such as `3:14`; `undefined` if the value is not found
 */
export function positionInJson(text: string, path: JsonPath): string | undefined {
  const found = locateInJson(text, path);
  return found && `${found.line}:${found.column}`;
}

/**
 * Finds the position of a value in a JSON text, as numbers.
 *
 * @param of - `"name"` for the position of the property's name instead
 */
export function locateInJson(
  text: string,
  path: JsonPath,
  of: "name" | "value" = "value",
): TextPosition | undefined {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    const tree = parseTree(json);
    const node = tree && findNodeAtLocation(tree, [...path]);
    if (node === undefined) return undefined;
    const named = of === "name" && node.parent?.type === "property" ? node.parent : node;
    return positionAtEndOf(json.slice(0, named.offset));
  } catch {
    // This parser is recursive, so deep nesting may overflow the stack.
    return undefined;
  }
}

/** Returns the position after a text. */
export function positionAtEndOf(before: string): TextPosition {
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Returns the position after a text, as `3:14`. */
export function lineAndColumn(before: string): string {
  const { line, column } = positionAtEndOf(before);
  return `${line}:${column}`;
}

function syntaxErrorIn(json: string, name: string): JsonSyntaxError {
  if (json.trim() === "") {
    return new JsonSyntaxError(name, positionAtEndOf(""), "the JSON is empty; expected at least {}");
  }
  const { error, offset } = firstErrorOf(json);
  const before = json.slice(0, offset);
  const isAfterComma = /,\s*$/.test(before) && /[}\]]/.test(json.charAt(offset));
  const reason = isAfterComma ? afterComma : (syntaxErrors as Readonly<Record<string, string>>)[error];
  return new JsonSyntaxError(name, positionAtEndOf(before), reason ?? "this is not JSON");
}

function firstErrorOf(json: string): { readonly error: string; readonly offset: number } {
  const errors: ParseError[] = [];
  try {
    parse(json, errors, { disallowComments: true });
  } catch {
    // Unlike JSON.parse, this parser is recursive.
    return { error: "TooDeep", offset: 0 };
  }
  const [first] = errors;
  return { error: first ? printParseErrorCode(first.error) : "", offset: first?.offset ?? 0 };
}
