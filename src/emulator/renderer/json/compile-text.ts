import type { JsonPath } from "../../../json/json-value.ts";
import { nearestName } from "../../../json/nearest-name.ts";
import { formatJsonPath } from "../../../request/serialize-values.ts";
import { quote } from "../../quote.ts";
import type { NodeBudget } from "../definition-size.ts";
import type { IssueList } from "../issue-list.ts";
import type { FaultyTemplate, TemplateFault } from "../template-fault.ts";
import { compileFormat, type Format, type Formatter } from "./formats.ts";
import type { Labels } from "./labels.ts";
import { type Placeholder, parsePath, parseText, type ValuePath } from "./placeholders.ts";
import type { ValueShape } from "./sample-values.ts";
import { outward, pathTo, type Scope, valueAt } from "./scope.ts";
import { sumOf } from "./sums.ts";
import type { TemplateSource } from "./template-source.ts";

/** The state that is shared while a template is filled once. */
export interface Filling {
  readonly issues: IssueList;
  /** Ends `$each`, before the definition does not fit in memory. */
  readonly budget: NodeBudget;
  /** The values of `{{@page}}` and `{{@pages}}`, or any numbers while only issues are collected. */
  readonly page: number;
  readonly pages: number;
  /** The locale for formats, such as `en-GB` (BCP 47). */
  readonly locale: string;
  /** The language of labels. */
  readonly language: string;
  /** Notes the part of the template from which each object was created, while a fault is located. */
  readonly origins?: WeakMap<object, JsonPath>;
}

/** Creates a new piece of the definition on each call. Adds an issue if a value does not fit. */
export type Fill<Piece = unknown> = (scope: Scope, filling: Filling) => Piece;

/** The compiler's location in the template, and the rules for strings at that location. */
export interface Spot {
  readonly source: TemplateSource;
  readonly place: JsonPath;
  /** The faults found so far. */
  readonly faults: TemplateFault[];
  /** The shapes of the values and of the items of each enclosing `$each`, innermost last. */
  readonly levels: readonly ValueShape[];
  /** The values that enclosing `$if` test, or `undefined` in `$else`, each with its number of enclosing `$each`. */
  readonly conditions: readonly { readonly tested: ValueShape | undefined; readonly depth: number }[];
  /** Which of `page` and `pages` are available. */
  readonly pageNumbers: readonly string[];
  readonly isXml: boolean;
  readonly labels: Labels | undefined;
  /** Whether the text is a label. */
  readonly isLabel: boolean;
}

export function mistake({ source, place }: Spot, problem: string, of?: "name"): FaultyTemplate {
  return source.faultAt(place, problem, of);
}

export function compileText(text: string, spot: Spot): Fill<string> {
  const parts = parseText(text, (problem) => mistake(spot, problem)).map((part) =>
    typeof part === "string" ? compilePlain(part, spot) : compilePlaceholder(part, spot),
  );
  return (scope, filling) => {
    let filled = "";
    for (const fill of parts) filled += fill(scope, filling);
    filling.budget.spendFilled(filled);
    return filled;
  };
}

/** The text of a template is XML itself, but that of a label is not. */
function compilePlain(text: string, { isLabel, isXml }: Spot): Fill<string> {
  const plain = isLabel && isXml ? escapeXml(text) : text;
  return () => plain;
}

export function compilePath(name: unknown, spot: Spot): { path: ValuePath; shape: ValueShape } {
  const path = parsePath(name, (problem) => mistake(spot, problem));
  return { path, shape: shapeAt(path, spot) };
}

function compilePlaceholder(placeholder: Placeholder, spot: Spot): Fill<string> {
  if (placeholder.kind === "value") return compileValue(placeholder, spot);
  if (placeholder.kind === "sum") return compileSum(placeholder, spot);
  if (placeholder.kind === "label") return compileLabel(placeholder.name, spot);
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

function compileLabel(name: string, spot: Spot): Fill<string> {
  const { labels, isLabel } = spot;
  const shown = `{{@labels.${name}}}`;
  if (isLabel) throw mistake(spot, `${shown} is not allowed in a label. Write its text instead.`);
  if (labels === undefined) throw mistake(spot, `${shown} needs \`labels\`. Add them to the template.`);
  if (!labels.names.includes(name))
    throw mistake(spot, `${shown} is not one of the labels.${didYouMean(name, labels.names)}`);
  const texts = new Map(
    labels.languages.map((language) => {
      const place = ["labels", language, name];
      return [language, compileText(labels.textOf(language, name), { ...spot, place, isLabel: true })];
    }),
  );
  return (scope, filling) => texts.get(filling.language)?.(scope, filling) ?? "";
}

function compileSum(
  { path, isOptional, format }: Extract<Placeholder, { kind: "sum" }>,
  spot: Spot,
): Fill<string> {
  const level = spot.levels.length - 1 - path.up;
  levelOf(path, spot).addSum(path.names, isOptional ? undefined : conditionsAt(level, spot));
  const formatter = format && formatterOf(format, spot);
  if (formatter && formatter(defaultLocale).expects !== "a number") {
    throw mistake(
      spot,
      `has the format ${quote(format.name)} for a sum, which is a number. Use currency, number or percent.`,
    );
  }
  const place = formatJsonPath(spot.place);
  return (scope, { issues, budget, locale }) => {
    const from = { up: path.up, names: [] };
    const addends = { from: valueAt(scope, from), names: path.names, path: pathTo(scope, from), isOptional };
    const sum = sumOf(
      addends,
      (path, message) => issues.add({ path, message, place }),
      () => budget.spend(addendNodes),
    );
    return formatter === undefined ? sum : (formatter(locale).format(sum) ?? "");
  };
}

/** An addend takes hardly any memory, but a sum for each item of an array takes quadratic time. */
const addendNodes = 0.01;

function compileValue(
  { path, isOptional, format }: Extract<Placeholder, { kind: "value" }>,
  spot: Spot,
): Fill<string> {
  const shape = shapeAt(path, spot);
  shape.isText = true;
  if (!isOptional) requireValue(path, spot);
  const place = formatJsonPath(spot.place);
  if (format !== undefined) {
    const formatter = formatterOf(format, spot);
    shape.formatted = formatter(defaultLocale).sample;
    return compileFormatted(path, isOptional, formatter, spot);
  }
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
  formatterFor: FormatterFor,
  spot: Spot,
): Fill<string> {
  const place = formatJsonPath(spot.place);
  return (scope, { issues, locale }) => {
    const value = valueAt(scope, path);
    if (value === null || (value === undefined && isOptional)) return "";
    const formatter = formatterFor(locale);
    const text = formatter.format(value);
    if (text !== undefined) return spot.isXml ? escapeXml(text) : text;
    const message = value === undefined ? "has no value" : `must be ${formatter.expects}`;
    issues.add({ path: pathTo(scope, path), message, place });
    return "";
  };
}

type FormatterFor = (locale: string) => Formatter;

/** The maximum number of locales that are kept for a format, because callers choose them. */
const maxLocales = 20;

function formatterOf(format: Format, spot: Spot): FormatterFor {
  const formatters = new Map<string, Formatter>();
  const create: FormatterFor = (locale) => {
    const formatter = formatters.get(locale) ?? compileFormat(format, locale);
    if (typeof formatter === "string") throw mistake(spot, formatter);
    if (formatters.size >= maxLocales) formatters.clear();
    formatters.set(locale, formatter);
    return formatter;
  };
  // Finds mistakes in the arguments now.
  create(defaultLocale);
  return create;
}

/** The locale of templates that do not name one. */
export const defaultLocale = "en-GB";

/** Ends a message about an unknown name with the known one that is most similar, if one is similar enough. */
function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? ` They are ${known.join(", ")}.` : ` Did you mean ${quote(nearest)}?`;
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
export function requireValue({ up, names }: ValuePath, spot: Spot): void {
  const level = spot.levels.length - 1 - up;
  spot.levels[level]?.require(names, conditionsAt(level, spot));
}

function conditionsAt(level: number, { conditions }: Spot): readonly (ValueShape | undefined)[] {
  return conditions.filter(({ depth }) => depth >= level).map((condition) => condition.tested);
}

export function shapeAt(path: ValuePath, spot: Spot): ValueShape {
  return levelOf(path, spot).at(path.names);
}

/** Returns the shape of all values, or of the item, that a path starts from. */
function levelOf({ up, names }: ValuePath, spot: Spot): ValueShape {
  const level = spot.levels.length - 1 - up;
  const shape = spot.levels[level];
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
