import {
  createScanner,
  findNodeAtLocation,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { JsonPath } from "./json-value.ts";

/** What is wrong where a JSON text stops being one. */
export const syntaxFaults = {
  InvalidSymbol: "this is no JSON; outside of double quotes stand only numbers, true, false and null",
  InvalidNumberFormat: "this is no number of JSON",
  PropertyNameExpected: "the name of a member, in double quotes, should stand here",
  ValueExpected: "a value should stand here",
  ColonExpected: "a colon should stand here",
  CommaExpected: "a comma should stand here",
  CloseBraceExpected: "an object is not closed; } should stand here",
  CloseBracketExpected: "an array is not closed; ] should stand here",
  EndOfFileExpected: "the JSON has ended already",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfComment: "JSON has no comments",
  UnexpectedEndOfString: "this text is not closed on its line",
  UnexpectedEndOfNumber: "this number breaks off",
  InvalidUnicode: "in this text, \\u is not followed by four hexadecimal digits",
  InvalidEscapeCharacter: "in this text, there is an escape that JSON does not have",
  InvalidCharacter: "in this text, a character such as a tab has to be escaped",
  TooDeep: "this is no JSON, and nested too deep to tell where it goes wrong",
} as const;

/** What is wrong where a list ends with a comma. */
export const afterComma = "nothing follows the comma before this";

/**
 * Parses a JSON text that a user wrote.
 *
 * A number that JavaScript would change in silence is refused: one with more digits than are kept, such as that of a bank
 * account, and one that is too large or too small, such as `1e400`.
 *
 * @param text - the text; a byte order mark at its start is no part of it
 * @param name - what to call the text in the error: the path of its file, for instance
 * @returns the value
 * @throws {SyntaxError} that names the place, `<name>:<line>:<column>: <reason>`, and quotes nothing of the text.
 */
export function parseJson(text: string, name: string): unknown {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The engine's own message may quote the text, names a place only at times, and reads otherwise in every version.
    throw new SyntaxError(`${name}:${describeSyntaxError(json)}`);
  }
  const changed = changedNumberIn(json);
  if (changed === undefined) return value;
  const reason = `this number ${changed.why}; write it as text, in double quotes`;
  throw new SyntaxError(`${name}:${lineAndColumn(json.slice(0, changed.offset))}: ${reason}`);
}

/** Finds the first number that is another one as a JavaScript number. */
function changedNumberIn(json: string): { readonly offset: number; readonly why: string } | undefined {
  // Up to 15 digits are always kept, and an exponent of two digits is always in range.
  if (!/\d{16}|\d[eE][+-]?\d{3}/.test(json)) return undefined;
  const scanner = createScanner(json, true);
  for (;;) {
    scanner.scan();
    if (scanner.getTokenLength() === 0) return undefined;
    const offset = scanner.getTokenOffset();
    const why = json[offset] === '"' ? undefined : whatChanges(scanner.getTokenValue());
    if (why !== undefined) return { offset, why };
  }
}

/** Says what JavaScript does not keep of a number. Digits behind the point are left to it: hardly any are kept exactly. */
function whatChanges(token: string): string | undefined {
  const [, whole = "", fraction = "", exponent] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  if (whole === "") return undefined;
  const number = Math.abs(Number(token));
  if (number === Number.POSITIVE_INFINITY) return "is too large";
  if (number === 0) return /[1-9]/.test(whole + fraction) ? "is too small" : undefined;
  // Up to here it has 309 digits at most, so that BigInt is quick.
  const isKept =
    exponent !== undefined || String(number) === whole || BigInt(Math.trunc(number)) === BigInt(whole);
  return isKept ? undefined : "has more digits than are kept";
}

/**
 * Finds the position of a value in a JSON text.
 *
 * @param text - valid JSON; a byte order mark at its start is ignored
 * @param path - the path to the value
 * @returns the line and the column, both counted from 1, as `3:14`; `undefined` if the value cannot be found
 */
export function positionInJson(text: string, path: JsonPath): string | undefined {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    const tree = parseTree(json);
    const node = tree && findNodeAtLocation(tree, [...path]);
    return node && lineAndColumn(json.slice(0, node.offset));
  } catch {
    // This parser calls itself for what is nested: the stack may not hold it all.
    return undefined;
  }
}

/** Where a text goes on: the line and the column, both counted from 1, as `3:14`. */
export function lineAndColumn(before: string): string {
  const lines = before.split(/\r\n|\r|\n/);
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

function describeSyntaxError(json: string): string {
  if (json.trim() === "") return "1:1: there is nothing in it; at least {} should stand here";
  const { error, offset } = firstErrorOf(json);
  const before = json.slice(0, offset);
  const isAfterComma = /,\s*$/.test(before) && /[}\]]/.test(json.charAt(offset));
  const reason = isAfterComma ? afterComma : (syntaxFaults as Readonly<Record<string, string>>)[error];
  return `${lineAndColumn(before)}: ${reason ?? "this is not JSON"}`;
}

function firstErrorOf(json: string): { readonly error: string; readonly offset: number } {
  const errors: ParseError[] = [];
  try {
    parse(json, errors, { disallowComments: true });
  } catch {
    // This parser calls itself for what is nested, which JSON.parse does not.
    return { error: "TooDeep", offset: 0 };
  }
  const [first] = errors;
  return { error: first ? printParseErrorCode(first.error) : "", offset: first?.offset ?? 0 };
}
