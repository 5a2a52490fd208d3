import { parseJson } from "../../../json/json-text.ts";
import { isJsonObject } from "../../../json/json-value.ts";
import { isDeeperThan, maxNesting } from "../../../json/nesting.ts";

/** What a JSON text holds, or what is wrong with it and where in it, both counted from 1. */
export type JsonRecord =
  | { readonly values: Record<string, unknown> }
  | { readonly fault: string; readonly line: number; readonly column: number };

/** Reads one object: the values of a document. */
export function readJsonRecord(text: string): JsonRecord {
  let value: unknown;
  try {
    value = parseJson(text, "");
  } catch (error) {
    const [, line = "1", column = "1", fault = "this is no JSON"] =
      /^:(\d+):(\d+): (.*)$/s.exec((error as Error).message) ?? [];
    return { fault, line: Number(line), column: Number(column) };
  }
  if (!isJsonObject(value)) {
    const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    return {
      ...placeOfFirst(text),
      fault: `this is ${found}; make it an object, a member for each placeholder`,
    };
  }
  // A level takes two characters at least.
  if (text.length > 2 * maxNesting && isDeeperThan(value, maxNesting)) {
    return { ...placeOfFirst(text), fault: `this is nested deeper than ${maxNesting} levels` };
  }
  return { values: value };
}

function placeOfFirst(text: string): { readonly line: number; readonly column: number } {
  return { line: 1, column: text.length - text.trimStart().length + 1 };
}
