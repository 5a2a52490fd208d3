import type { JsonPath } from "../../../json/json-value.ts";
import { formatJsonPath } from "../../../request/serialize-values.ts";
import { quote } from "../../quote.ts";
import type { NodeBudget } from "../definition-size.ts";
import type { IssueList } from "../issue-list.ts";
import { mistakeAt } from "../template.ts";
import { compileFormat, type Format, type Formatter } from "./formats.ts";
import { type Placeholder, parsePath, parseText, type ValuePath } from "./placeholders.ts";
import type { ValueShape } from "./sample-values.ts";
import { outward, pathTo, type Scope, valueAt } from "./scope.ts";

/** The state that is shared while a template is filled once. */
export interface Filling {
  readonly issues: IssueList;
  /** Ends `$each`, before the definition does not fit in memory. */
  readonly budget: NodeBudget;
  /** The values of `{{@page}}` and `{{@pages}}`, or any numbers while only issues are collected. */
  readonly page: number;
  readonly pages: number;
}

/** Creates a new piece of the definition on each call. Adds an issue if a value does not fit. */
export type Fill<Piece = unknown> = (scope: Scope, filling: Filling) => Piece;

/** The compiler's location in the template, and the rules for strings at that location. */
export interface Spot {
  readonly file: string;
  readonly place: JsonPath;
  /** The shapes of the values and of the items of each enclosing `$each`, innermost last. */
  readonly levels: readonly ValueShape[];
  /** The values that enclosing `$if` test, or `undefined` in `$else`, each with its number of enclosing `$each`. */
  readonly conditions: readonly { readonly tested: ValueShape | undefined; readonly depth: number }[];
  /** Which of `page` and `pages` are available. */
  readonly pageNumbers: readonly string[];
  readonly isXml: boolean;
  /** The locale for formats, such as `en-GB` (BCP 47). */
  readonly locale: string;
}

export function mistake({ file, place }: Spot, problem: string): Error {
  return mistakeAt(file, place, problem);
}

export function compileText(text: string, spot: Spot): Fill<string> {
  const parts = parseText(text, (problem) => mistake(spot, problem)).map((part) =>
    typeof part === "string" ? () => part : compilePlaceholder(part, spot),
  );
  return (scope, filling) => {
    let filled = "";
    for (const fill of parts) filled += fill(scope, filling);
    filling.budget.spendFilled(filled);
    return filled;
  };
}

export function compilePath(name: unknown, spot: Spot): { path: ValuePath; shape: ValueShape } {
  const path = parsePath(name, (problem) => mistake(spot, problem));
  return { path, shape: shapeAt(path, spot) };
}

function compilePlaceholder(placeholder: Placeholder, spot: Spot): Fill<string> {
  if (placeholder.kind === "value") return compileValue(placeholder, spot);
  if (placeholder.kind === "number") {
    const { up } = placeholder;
    if (up < spot.levels.length - 1) return (scope) => String(outward(scope, up).number);
    throw mistake(spot, "{{@number}} is only allowed inside `$each`.");
  }
  const { kind } = placeholder;
  if (spot.pageNumbers.includes(kind)) return (_, filling) => String(filling[kind]);
  const where = kind === "page" ? "`header`, `footer` and `background`" : "`header` and `footer`";
  throw mistake(spot, `{{@${kind}}} is only allowed in ${where}. Move it there.`);
}

function compileValue(
  { path, isOptional, format }: Extract<Placeholder, { kind: "value" }>,
  spot: Spot,
): Fill<string> {
  const shape = shapeAt(path, spot);
  shape.isText = true;
  if (!isOptional) requireValue(path, spot);
  const place = formatJsonPath(spot.place);
  if (format !== undefined) return compileFormatted(path, isOptional, formatterOf(format, shape, spot), spot);
  return (scope, { issues }) => {
    const value = valueAt(scope, path);
    if (typeof value === "string") {
      const text = withClosedDirections(value);
      return spot.isXml ? escapeXml(text) : text;
    }
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (value === null || (value === undefined && isOptional)) return "";
    const found = Array.isArray(value) ? "an array" : "an object";
    const message =
      value === undefined ? "has no value" : `must be a string, a number or a boolean, not ${found}`;
    issues.add({ path: pathTo(scope, path), message, place });
    return "";
  };
}

function compileFormatted(
  path: ValuePath,
  isOptional: boolean,
  formatter: Formatter,
  spot: Spot,
): Fill<string> {
  const place = formatJsonPath(spot.place);
  return (scope, { issues }) => {
    const value = valueAt(scope, path);
    if (value === null || (value === undefined && isOptional)) return "";
    const text = formatter.format(value);
    if (text !== undefined) return spot.isXml ? escapeXml(text) : text;
    const message = value === undefined ? "has no value" : `must be ${formatter.expects}`;
    issues.add({ path: pathTo(scope, path), message, place });
    return "";
  };
}

function formatterOf(format: Format, shape: ValueShape, spot: Spot): Formatter {
  const formatter = compileFormat(format, spot.locale);
  if (typeof formatter === "string") throw mistake(spot, formatter);
  shape.formatted = formatter.sample;
  return formatter;
}

/** Ends each change of the direction that a value leaves open. Otherwise, it would reverse the template's text after the value. */
function withClosedDirections(text: string): string {
  if (!/[\u202a-\u202e\u2066-\u2069]/.test(text)) return text;
  const [endOfEmbedding, endOfIsolate] = ["\u202c", "\u2069"];
  const ends: string[] = [];
  let isolates = 0;
  for (const character of text) {
    if (/[\u202a\u202b\u202d\u202e]/.test(character)) ends.push(endOfEmbedding);
    else if (/[\u2066-\u2068]/.test(character)) {
      ends.push(endOfIsolate);
      isolates += 1;
    } else if (character === endOfEmbedding && ends.at(-1) === endOfEmbedding) ends.pop();
    else if (character === endOfIsolate && isolates > 0) {
      // The end of an isolate also ends the embeddings in it.
      while (ends.pop() !== endOfIsolate);
      isolates -= 1;
    }
  }
  return text + ends.reverse().join("");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Marks the value at a path as required. A condition outside of `$each` does not apply to the properties of an item. */
export function requireValue({ up, names }: ValuePath, { levels, conditions }: Spot): void {
  const level = levels.length - 1 - up;
  const tested = conditions.filter(({ depth }) => depth >= level).map((condition) => condition.tested);
  levels[level]?.require(names, tested);
}

function shapeAt({ up, names }: ValuePath, spot: Spot): ValueShape {
  const level = spot.levels.length - 1 - up;
  const shape = spot.levels[level]?.at(names);
  const shown = quote("../".repeat(up) + (names.join(".") || "this"));
  if (shape === undefined) {
    throw mistake(
      spot,
      `${shown} has more ../ segments than there are enclosing \`$each\` blocks. Remove a segment.`,
    );
  }
  if (level === 0 && names.length === 0) {
    throw mistake(spot, `${shown} is only allowed inside \`$each\`. Use the name of a value instead.`);
  }
  return shape;
}
