import { describeKind } from "../../errors/value-kinds.ts";
import { ConfigurationError, ValuesError } from "../../index.ts";

/** A string with placeholders, such as `out/{{invoice_no}}.pdf`. */
export interface Pattern {
  /** The text before the first placeholder. */
  readonly fixed: string;
  /** The placeholder names, without duplicates. */
  readonly names: readonly string[];
  /**
   * Inserts the values of a job. Throws a {@link ValuesError} that names the placeholder if a value is not a string, number or
   * boolean.
   */
  fill(values: object, uid: string): string;
}

/**
 * Parses a pattern. A placeholder names a property of the values. If no property has that name, dots in the name separate nested
 * properties.
 *
 * @throws {ConfigurationError} if the pattern has no placeholder or contains stray braces
 */
export function parsePattern(text: string): Pattern {
  const parts = text.split(/\{\{([^{}]*)\}\}/).map((part, index) => (index % 2 === 1 ? part.trim() : part));
  const names = parts.filter((_, index) => index % 2 === 1);
  const stray = parts.find((part, index) => index % 2 === 0 && /\{\{|\}\}/.test(part));
  if (names.length === 0 || names.includes("") || stray !== undefined) {
    const what = names.length === 0 && stray === undefined ? "has no placeholders" : "has stray braces";
    throw new ConfigurationError(
      `The path ${JSON.stringify(text)} ${what}, but every document needs a unique path. Add a placeholder for a value, for example "out/{{invoice_no}}.pdf".`,
    );
  }
  return {
    fixed: parts[0] ?? "",
    names: [...new Set(names)],
    fill: (values, uid) =>
      parts.map((part, index) => (index % 2 === 1 ? textOf(values, part, uid) : part)).join(""),
  };
}

function textOf(values: object, name: string, uid: string): string {
  const value = memberOf(values, name);
  const isText = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (isText && value !== "") return String(value);
  const what = value === undefined ? "is missing" : value === "" ? "is empty" : `is ${describeKind(value)}`;
  const message = `${what}, but the path of the document needs it`;
  throw new ValuesError(
    `The values for template ${JSON.stringify(uid)} do not produce a valid path: ${JSON.stringify(name)} ${message}. No request was sent for this document.`,
    { issues: [{ path: name.split("."), message }], uid },
  );
}

function memberOf(values: object, name: string): unknown {
  if (Object.hasOwn(values, name)) return (values as Record<string, unknown>)[name];
  return name
    .split(".")
    .reduce<unknown>(
      (at, member) =>
        typeof at === "object" && at !== null && Object.hasOwn(at, member)
          ? (at as Record<string, unknown>)[member]
          : undefined,
      values,
    );
}
