import { formatJsonPath, type JsonPath } from "../../../json/json-value.ts";
import { IssueList } from "../issue-list.ts";
import type { Placeholder, ValuePath } from "./placeholders.ts";
import { outward, pathTo, type Scope, valueAt } from "./scope.ts";

/** One filling of a template: what is the same all through it. */
export interface Filling {
  readonly issues: IssueList;
  /** What `{{@page}}` and `{{@pages}}` are; while the issues are looked for, any number does. */
  readonly page: number;
  readonly pages: number;
}

/** Makes a piece of what pdfmake gets, again each time. Where a value does not fit, an issue is noted. */
export type Fill = (scope: Scope, filling: Filling) => unknown;

/** Adds what an item of an array becomes: no element, one or several. */
export type FillInto = (list: unknown[], scope: Scope, filling: Filling) => void;

/** Chooses by `$if`. */
export type Choose<Branch> = (scope: Scope) => Branch | undefined;

export function fillList(items: readonly FillInto[]): Fill {
  return (scope, filling) => {
    const list: unknown[] = [];
    for (const fillInto of items) fillInto(list, scope, filling);
    return list;
  };
}

export function fillObject(members: readonly (readonly [name: string, fill: Fill])[]) {
  return (scope: Scope, filling: Filling): Record<string, unknown> =>
    Object.fromEntries(members.map(([name, fill]) => [name, fill(scope, filling)]));
}

/** pdfmake fails on a table without rows (0.3.11), which one row per line becomes where there are no lines. */
export function fillTable(fill: ReturnType<typeof fillObject>): Fill {
  return (scope, filling) => {
    const object = fill(scope, filling);
    const { table, layout, ...rest } = object;
    const body = (table as { body?: unknown } | null)?.body;
    return Array.isArray(body) && body.length === 0 ? { ...rest, text: "" } : object;
  };
}

/** A header, footer or background: a function, because pdfmake copies a constant by way of JSON, or not at all. */
export function fillPagePart(fill: Fill): Fill {
  return (scope, filling) => {
    // What is wrong in it has to be known before pdfmake asks for it.
    fill(scope, filling);
    return (page: number, pages: number) => fill(scope, { issues: new IssueList(), page, pages });
  };
}

/** `$each` */
export function repeatInto(path: ValuePath, place: JsonPath, show: FillInto): FillInto {
  return (list, scope, filling) => {
    const items = valueAt(scope, path);
    if (items === null) return;
    const array = pathTo(scope, path);
    if (!Array.isArray(items)) {
      const message = items === undefined ? "has no value" : "must be an array";
      filling.issues.add({ path: array, message, place: formatJsonPath(place) });
      return;
    }
    for (let index = 0; index < items.length && !filling.issues.isFull; index += 1) {
      show(list, { value: items[index], array, number: index + 1, outer: scope }, filling);
    }
  };
}

/** `$if` */
export function choose<Branch>(path: ValuePath, show: Branch, otherwise: Branch | undefined): Choose<Branch> {
  return (scope) => {
    const value = valueAt(scope, path);
    const isNothing = value === undefined || value === null || value === false || value === "";
    return isNothing || (Array.isArray(value) && value.length === 0) ? otherwise : show;
  };
}

/** @param isXml - whether values have to be escaped for XML */
export function fillText(parts: readonly (string | Placeholder)[], place: JsonPath, isXml: boolean): Fill {
  return (scope, filling) => {
    let text = "";
    for (const part of parts) {
      if (typeof part === "string") text += part;
      else if (part.kind === "number") text += outward(scope, part.up).number;
      else if (part.kind === "value") {
        const value = valueText(part, place, scope, filling);
        text += isXml ? escapeXml(value) : value;
      } else text += filling[part.kind];
    }
    return text;
  };
}

function valueText(
  { path, isOptional }: Extract<Placeholder, { kind: "value" }>,
  place: JsonPath,
  scope: Scope,
  filling: Filling,
): string {
  const value = valueAt(scope, path);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null || (value === undefined && isOptional)) return "";
  const message =
    value === undefined
      ? "has no value"
      : `must be a text, a number or a boolean, not ${Array.isArray(value) ? "an array" : `an ${typeof value}`}`;
  filling.issues.add({ path: pathTo(scope, path), message, place: formatJsonPath(place) });
  return "";
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
