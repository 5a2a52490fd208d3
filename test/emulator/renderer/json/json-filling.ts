import { expect } from "vitest";
import {
  type JsonTemplate,
  parseJsonTemplate,
} from "../../../../src/emulator/renderer/json/json-template.ts";

/** The template of a file `invoice.json` with these properties. */
export function templateOf(json: object): JsonTemplate {
  return parseJsonTemplate(JSON.stringify(json), "invoice.json");
}

/** The functions that pdfmake calls on each page. */
export type PagePart = (page: number, pages: unknown) => unknown;

interface Definition {
  readonly content?: unknown;
  readonly header?: PagePart;
  readonly footer?: PagePart;
  readonly background?: PagePart;
}

/** The definition that pdfmake receives for a template with valid values. */
export function definitionOf(json: object, values: Record<string, unknown> = {}): Definition {
  const filled = templateOf(json).fill(values);
  expect(filled.issues).toBeUndefined();
  return "definition" in filled ? (filled.definition as Definition) : {};
}

/** The result for one element of content. */
export function contentOf(content: unknown, values: Record<string, unknown> = {}): unknown {
  return definitionOf({ content }, values).content;
}

/** The issues of values, as `path message (place)`. */
export function complaintsOf(json: object, values: Record<string, unknown>): string[] {
  return (templateOf(json).fill(values).issues ?? []).map(({ path, message, place }) =>
    `${path.join("/")} ${message}${place === undefined ? "" : ` (${place})`}`.trim(),
  );
}

/** The error message for a file that is not a template. */
export function refusalOf(text: string): string {
  try {
    parseJsonTemplate(text, "invoice.json");
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("This template was not refused.");
}
