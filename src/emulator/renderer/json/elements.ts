import { formatJsonPath, type JsonPath } from "../../../json/json-value.ts";
import { IssueList } from "../issue-list.ts";
import type { Placeholder, ValuePath } from "./placeholders.ts";
import { outward, pathTo, type Scope, valueAt } from "./scope.ts";
import { layoutOf } from "./table-layout.ts";

/** A piece of a template, ready to be filled. */
export type Element =
  | { readonly kind: "constant"; readonly value: unknown }
  | Text
  | { readonly kind: "list"; readonly items: readonly Item[] }
  | { readonly kind: "object"; readonly members: Members; readonly isTable: boolean }
  | { readonly kind: "layout"; readonly members: Members }
  /** What pdfmake asks for anew on each page. */
  | { readonly kind: "page part"; readonly element: Element }
  | Choice<Element>;

/** A piece that stands in an array, where it can become no element, or several. */
export type Item = Exclude<Element, Choice<Element>> | Choice<Item> | Each;

type Members = readonly (readonly [name: string, element: Element])[];

interface Text {
  readonly kind: "text";
  readonly parts: readonly (string | Placeholder)[];
  readonly place: JsonPath;
  /** Whether values have to be escaped for XML. */
  readonly isXml: boolean;
}

/** `$each` */
export interface Each {
  readonly kind: "each";
  readonly path: ValuePath;
  readonly place: JsonPath;
  readonly show: Item;
}

/** `$if` */
export interface Choice<Branch> {
  readonly kind: "choice";
  readonly path: ValuePath;
  readonly show: Branch;
  readonly otherwise: Branch | undefined;
}

/** One filling of a template: what is the same all through it. */
export interface Filling {
  readonly issues: IssueList;
  /** What `{{@page}}` and `{{@pages}}` are; while the issues are looked for, any number does. */
  readonly page: number;
  readonly pages: number;
}

/** Makes what pdfmake gets, afresh each time. Where a value does not fit, an issue is noted. */
export function expand(element: Element, scope: Scope, filling: Filling): unknown {
  switch (element.kind) {
    case "constant":
      return element.value;
    case "text":
      return textOf(element, scope, filling);
    case "list": {
      const list: unknown[] = [];
      for (const item of element.items) expandInto(list, item, scope, filling);
      return list;
    }
    case "object":
      return objectOf(element.members, element.isTable, scope, filling);
    case "layout":
      return layoutOf(element.members.map(([name, member]) => [name, expand(member, scope, filling)]));
    case "page part": {
      // What is wrong in it has to be known before pdfmake asks for it.
      expand(element.element, scope, filling);
      return (page: number, pages: number) =>
        expand(element.element, scope, { issues: new IssueList(), page, pages });
    }
    case "choice": {
      const chosen = chosenOf(element, scope);
      return chosen === undefined ? "" : expand(chosen, scope, filling);
    }
  }
}

function expandInto(list: unknown[], item: Item, scope: Scope, filling: Filling): void {
  if (item.kind === "each") {
    repeatInto(list, item, scope, filling);
  } else if (item.kind === "choice") {
    const chosen = chosenOf(item, scope);
    if (chosen !== undefined) expandInto(list, chosen, scope, filling);
  } else {
    list.push(expand(item, scope, filling));
  }
}

function repeatInto(list: unknown[], each: Each, scope: Scope, filling: Filling): void {
  const items = valueAt(scope, each.path);
  if (items === null) return;
  const array = pathTo(scope, each.path);
  if (!Array.isArray(items)) {
    const message = items === undefined ? "has no value" : "must be an array";
    filling.issues.add({ path: array, message, place: formatJsonPath(each.place) });
    return;
  }
  for (let index = 0; index < items.length && !filling.issues.isFull; index += 1) {
    expandInto(list, each.show, { value: items[index], array, number: index + 1, outer: scope }, filling);
  }
}

function chosenOf<Branch>({ path, show, otherwise }: Choice<Branch>, scope: Scope): Branch | undefined {
  const value = valueAt(scope, path);
  const isNothing = value === undefined || value === null || value === false || value === "";
  return isNothing || (Array.isArray(value) && value.length === 0) ? otherwise : show;
}

function objectOf(members: Members, isTable: boolean, scope: Scope, filling: Filling): object {
  const object = Object.fromEntries(members.map(([name, member]) => [name, expand(member, scope, filling)]));
  if (!isTable) return object;
  const { table, layout, ...rest } = object;
  const body = (table as { body?: unknown } | null)?.body;
  // pdfmake fails on a table without rows (0.3.11), which one row per line becomes where there are no lines.
  return Array.isArray(body) && body.length === 0 ? { ...rest, text: "" } : object;
}

function textOf({ parts, place, isXml }: Text, scope: Scope, filling: Filling): string {
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

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
