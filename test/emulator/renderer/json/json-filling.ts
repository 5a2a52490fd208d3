import { expect } from "vitest";
import { parseJsonTemplate } from "../../../../src/emulator/renderer/json/json-template.ts";
import type { FaultyTemplate } from "../../../../src/emulator/renderer/template-fault.ts";

/** Parses a file `invoice.json` with these properties. */
export function templateOf(json: object) {
  return parseJsonTemplate(JSON.stringify(json), "invoice.json");
}

/** A function that pdfmake calls for each page. */
export type PagePart = (page: number, pages: unknown) => unknown;

interface Definition {
  readonly content?: unknown;
  readonly header?: PagePart;
  readonly footer?: PagePart;
  readonly background?: PagePart;
}

/** The definition that pdfmake would receive. Fails if the values do not fit the template. */
export function definitionOf(json: object, values: Record<string, unknown> = {}): Definition {
  const filled = templateOf(json).fill(values);
  expect(filled.issues).toBeUndefined();
  return "definition" in filled ? (filled.definition as Definition) : {};
}

/** The filled `content` of a definition. */
export function contentOf(content: unknown, values: Record<string, unknown> = {}): unknown {
  return definitionOf({ content }, values).content;
}

/** The issues of values, as `path message (location in the template)`. */
export function issuesOf(json: object, values: Record<string, unknown>): string[] {
  return (templateOf(json).fill(values).issues ?? []).map(({ path, message, place }) =>
    `${path.join("/")} ${message}${place === undefined ? "" : ` (${place})`}`.trim(),
  );
}

/** The message of the error that an invalid template file causes. */
export function parseErrorOf(text: string): string {
  try {
    parseJsonTemplate(text, "invoice.json");
  } catch (error) {
    const { faults } = error as FaultyTemplate;
    return faults
      .map(({ file, part, message }) => `${[file, part].filter(Boolean).join(", ")}: ${message}`)
      .join("\n");
  }
  throw new Error("This template was not refused.");
}
