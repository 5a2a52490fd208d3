import { quote } from "../../quote.ts";
import type { Format } from "./formats.ts";

/** The path to a value: `up` levels of `$each` outwards, and then along `names`. */
export interface ValuePath {
  readonly up: number;
  /** Empty for the item itself. */
  readonly names: readonly string[];
}

/** The parsed text between `{{` and `}}`. */
export type Placeholder =
  | {
      readonly kind: "value";
      readonly path: ValuePath;
      readonly isOptional: boolean;
      readonly format: Format | undefined;
    }
  /** The sum of the numbers at a path. A name after an array refers to each of its items. */
  | {
      readonly kind: "sum";
      readonly path: ValuePath;
      readonly isOptional: boolean;
      readonly format: Format | undefined;
    }
  /** A text in the language of the document. */
  | { readonly kind: "label"; readonly name: string }
  /** The number of an item, starting at 1. */
  | { readonly kind: "number"; readonly up: number }
  | { readonly kind: "page" | "pages" };

type CreateError = (problem: string) => Error;

const names =
  "Use a name of letters, digits, _, - and $, or several names joined by dots, such as {{customer.name}}.";

/** Allows at most 100 names, because the generated sample is nested as deeply. */
const placeholderPattern =
  /^(?<ups>(?:\.\.\/)*)(?:@(?<special>\p{ID_Continue}*)|(?<name>[\p{ID_Continue}$-]+(?:\.[\p{ID_Continue}$-]+){0,99})(?<optional>\?)?)$/u;

/** Two braces and all backslashes before them. The lookbehind prevents a new attempt at each backslash of a long run. */
const opening = /(?<!\\)(\\*)\{\{/g;

/**
 * Parses a string with placeholders, such as `Dear {{customer.name}}`. A backslash escapes two braces, and two backslashes before
 * braces become one. The parts between placeholders are non-empty strings.
 */
export function parseText(text: string, createError: CreateError): readonly (string | Placeholder)[] {
  const parts: (string | Placeholder)[] = [];
  let plain = "";
  let at = 0;
  for (const { 0: found, 1: backslashes = "", index } of text.matchAll(opening)) {
    plain += text.slice(at, index) + "\\".repeat(backslashes.length / 2);
    at = index + found.length;
    if (backslashes.length % 2 === 1) {
      plain += "{{";
      continue;
    }
    const end = text.indexOf("}}", at);
    const inner = text.slice(at, end === -1 ? undefined : end);
    const [first = ""] = inner.split("{{", 1);
    if (end === -1 || first !== inner) {
      throw createError(`${quote(`{{${first}`)} is never closed. Add }} after the name.`);
    }
    if (plain !== "") parts.push(plain);
    plain = "";
    parts.push(parsePlaceholder(inner.trim(), createError));
    at = end + 2;
  }
  plain += text.slice(at);
  if (plain !== "") parts.push(plain);
  return parts;
}

/** Returns the placeholder of a text that is one value without a format, such as `{{locale}}`. */
export function onlyValueIn(
  text: string,
  createError: CreateError,
): Extract<Placeholder, { kind: "value" }> | undefined {
  const [first, ...others] = parseText(text, createError);
  const isValue = typeof first === "object" && first.kind === "value" && first.format === undefined;
  return isValue && others.length === 0 ? first : undefined;
}

/** Parses the path of `$each` or `$if`, such as `lines`, `../customer.phones` or `this`. */
export function parsePath(name: unknown, createError: CreateError): ValuePath {
  const { ups = "", name: path, optional } = groupsOf(typeof name === "string" ? name.trim() : "");
  if (path === undefined || optional !== undefined) {
    throw createError(`is not a valid name. ${names.replaceAll(/\{\{|\}\}/g, '"')}`);
  }
  return { up: ups.length / 3, names: namesOf(path) };
}

function parsePlaceholder(inner: string, createError: CreateError): Placeholder {
  const shown = quote(`{{${inner}}}`);
  const bar = inner.indexOf("|");
  const named = bar === -1 ? inner : inner.slice(0, bar).trimEnd();
  const [, list] = /^sum\s+(.*)$/s.exec(named) ?? [];
  const { ups = "", special, name, optional } = groupsOf(list ?? named);
  const up = ups.length / 3;
  if (name !== undefined) {
    const format = bar === -1 ? undefined : parseFormat(inner.slice(bar + 1), shown, createError);
    const path = { up, names: namesOf(name) };
    return { kind: list === undefined ? "value" : "sum", path, isOptional: optional !== undefined, format };
  }
  if (bar !== -1) throw createError(`${shown} has a format, but only values and sums can have formats.`);
  const [, label] = /^@labels\.([\p{ID_Continue}$-]+)$/u.exec(inner) ?? [];
  if (label !== undefined) return { kind: "label", name: label };
  if (special === "number") return { kind: "number", up };
  if (up === 0 && (special === "page" || special === "pages")) return { kind: special };
  if (special !== undefined) {
    throw createError(
      `${shown} is unknown. The placeholders are {{@number}}, {{@page}}, {{@pages}} and {{@labels.name}}.`,
    );
  }
  if (/^[#/^]/.test(inner)) {
    throw createError(
      `${shown} is not a placeholder, because strings cannot contain blocks. Use an object with \`$each\` or \`$if\` instead.`,
    );
  }
  throw createError(`${shown} does not name a value. ${names}`);
}

const argumentPattern = /"[^"]*"|'[^']*'|[^\s"'|]+/g;
const formatPattern = /^\s*[a-z]+(?:\s+(?:"[^"]*"|'[^']*'|[^\s"'|]+))*\s*$/i;

/** Parses the format after the bar of `{{total | currency "GBP"}}`: a name, and arguments with or without quotes. */
function parseFormat(text: string, shown: string, createError: CreateError): Format {
  const [name, ...args] = text.match(argumentPattern) ?? [];
  if (name === undefined || !formatPattern.test(text)) {
    throw createError(`${shown} has an invalid format. Write it as {{total | currency "GBP"}}.`);
  }
  return { name, args: args.map((argument) => argument.replace(/^["']|["']$/g, "")) };
}

function groupsOf(text: string): { readonly [group: string]: string | undefined } {
  return placeholderPattern.exec(text)?.groups ?? {};
}

function namesOf(path: string): string[] {
  const all = path.split(".");
  return all[0] === "this" ? all.slice(1) : all;
}
