import { expect } from "vitest";
import {
  type JsonTemplate,
  parseJsonTemplate,
} from "../../../../src/emulator/renderer/json/json-template.ts";

/** The template of a file `invoice.json` with these members. */
export function templateOf(json: object): JsonTemplate {
  return parseJsonTemplate(JSON.stringify(json), "invoice.json");
}

/** What pdfmake asks for on each page. */
export type PagePart = (page: number, pages: unknown) => unknown;

interface Definition {
  readonly content?: unknown;
  readonly header?: PagePart;
  readonly footer?: PagePart;
  readonly background?: PagePart;
}

/** What pdfmake would get, of a template that its values fit. */
export function definitionOf(json: object, values: Record<string, unknown> = {}): Definition {
  const filled = templateOf(json).fill(values);
  expect(filled.issues).toBeUndefined();
  return "definition" in filled ? (filled.definition as Definition) : {};
}

/** What a piece of content becomes. */
export function contentOf(content: unknown, values: Record<string, unknown> = {}): unknown {
  return definitionOf({ content }, values).content;
}

/** What is wrong with values, as `path message (place)`. */
export function complaintsOf(json: object, values: Record<string, unknown>): string[] {
  return (templateOf(json).fill(values).issues ?? []).map(({ path, message, place }) =>
    `${path.join("/")} ${message}${place === undefined ? "" : ` (${place})`}`.trim(),
  );
}

/** The message of the error for a file that is no template. */
export function refusalOf(text: string): string {
  try {
    parseJsonTemplate(text, "invoice.json");
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("This template was not refused.");
}
